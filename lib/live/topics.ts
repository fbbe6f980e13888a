/** What can be read live: state changes, the core's log, and the console of each service. */
import type { Events } from '../cloud/events.js'
import { type Topic, createTopic } from './topic.js'

export interface Topics {
  states (): Topic
  log (): Topic
  /** Throws 404 for a service that there is not, and where the runtime has no consoles. */
  console (serviceName: string): Promise<Topic>
  /** Adds lines to the log: what the terminal was told, and what it answered. */
  say (lines: readonly string[]): void
}

type Lines = (lines: readonly string[]) => void

export function createTopics (events: Events, history: number): Topics {
  const open = new Map<string, Promise<Topic>>()
  let stateTopic: Topic | undefined
  let logTopic: Topic | undefined
  let listener: Lines | undefined

  async function openConsole (name: string): Promise<Topic> {
    let found: Promise<void> | undefined
    const made = createTopic({
      history,
      open: (lines, signal) => { found = events.console(name, lines, { signal, bytes: history }) },
      onEmpty: () => { open.delete(name) }
    })
    try {
      await found
      return made
    } catch (error) {
      made.rest()
      throw error
    }
  }

  const openStates = (): Topic => createTopic({
    history: 0,
    open: (lines, signal, fail) => {
      events.states(({ serviceName, state, at }) => {
        lines([JSON.stringify({ serviceName, state, timestamp: String(at) })])
      }, signal, fail)
    },
    onEmpty: () => { stateTopic = undefined }
  })

  const openLog = (): Topic => createTopic({
    history: 0,
    open: (lines, signal, fail) => {
      events.log(line => { lines([line]) }, signal, fail)
      listener = lines
    },
    onEmpty: () => {
      logTopic = undefined
      listener = undefined
    }
  })

  return {
    states: () => {
      stateTopic ??= openStates()
      return stateTopic
    },

    log: () => {
      logTopic ??= openLog()
      return logTopic
    },

    console: name => {
      let console = open.get(name)
      if (console === undefined) {
        console = openConsole(name)
        open.set(name, console)
        console.catch(() => { open.delete(name) })
      }
      return console
    },

    say: lines => { listener?.(lines) }
  }
}
