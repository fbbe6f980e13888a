/** What can be read live: state changes, the core's log, and the console of each service. */
import type { CloudRuntime } from '../../types/runtime.js'
import { checkWord } from '../cloud/answers.js'
import type { Calls } from '../cloud/calls.js'
import { ServiceNotFound } from '../errors.js'
import { type Topic, topic } from './topic.js'

export interface Topics {
  states (): Topic
  log (): Topic
  /** Throws 404 for a service that there is not, and where the runtime has no consoles. */
  console (serviceName: string): Promise<Topic>
  /** Adds lines to the log: what the terminal was told, and what it answered. */
  say (lines: readonly string[]): void
}

type Lines = (lines: readonly string[]) => void

export function topics ({ states, log, consoles }: CloudRuntime, call: Calls, history: number): Topics {
  const open = new Map<string, Promise<Topic>>()
  let stateTopic: Topic | undefined
  let logTopic: Topic | undefined
  let listener: Lines | undefined

  async function openConsole (name: string): Promise<Topic> {
    if (consoles === undefined) throw ServiceNotFound
    let found: unknown
    const made = topic({
      history,
      open: (lines, signal) => { found = call<unknown>(() => consoles.follow(name, lines, { signal, bytes: history })) },
      onEmpty: () => { open.delete(name) }
    })
    try {
      if (checkWord(await found, [true, false])) return made
    } catch (error) {
      made.rest()
      throw error
    }
    made.rest()
    throw ServiceNotFound
  }

  const openStates = (): Topic => topic({
    history: 0,
    open: (lines, signal) => states?.watch(({ serviceName, state, at }) => {
      lines([JSON.stringify({ serviceName, state, timestamp: String(at) })])
    }, { signal }),
    onEmpty: () => { stateTopic = undefined }
  })

  const openLog = (): Topic => topic({
    history: 0,
    open: (lines, signal) => {
      listener = lines
      log?.watch(line => { lines([line]) }, { signal })
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
