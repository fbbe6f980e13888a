/** What can be read live: state changes, the core's log, and the console of each service. */
import type { WhenGone } from '../cloud/deadline.js'
import type { RuntimeEvents } from '../cloud/runtime-events.js'
import { Closing } from '../errors.js'
import { type Topic, createTopic } from './topic.js'

export interface Topics {
  states (): Topic
  log (): Topic
  /**
   * The console of a service. When everybody who asks for it has gone before the runtime has answered, it is left.
   * @throws Failure 404 for a service that there is not, and where the runtime has no consoles; 503 when the host closes
   */
  console (serviceName: string, gone: WhenGone): Promise<Topic>
  /** Adds lines to the log: what the terminal was told, and what it answered. */
  say (lines: readonly string[]): void
  /** Ends all of them, also those about which the runtime has not answered, and opens no more consoles. */
  close (): void
}

/** A console that is opened, or open. */
interface Console {
  readonly topic: Promise<Topic>
  /** Those who wait for it. */
  asking: number
  /** Ends it where nobody reads it. */
  rest (): void
  end (): void
}

type Lines = (lines: readonly string[]) => void

export function createTopics (events: RuntimeEvents, history: number): Topics {
  const open = new Map<string, Console>()
  let isClosed = false
  let stateTopic: Topic | undefined
  let logTopic: Topic | undefined
  let listener: Lines | undefined

  function openConsole (name: string): Console {
    let found: Promise<void> | undefined
    const made = createTopic({
      history,
      open: (lines, signal) => { found = events.console(name, lines, { signal, bytes: history }) },
      onEmpty: () => { if (open.get(name) === console) open.delete(name) }
    })
    async function whenFound (): Promise<Topic> {
      try {
        await found
        return made
      } catch (error) {
        made.rest()
        throw isClosed ? Closing : error
      }
    }
    const console: Console = { topic: whenFound(), asking: 0, rest: made.rest, end: made.end }
    open.set(name, console)
    return console
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

    console: async (name, gone) => {
      if (isClosed) throw Closing
      const console = open.get(name) ?? openConsole(name)
      let isAsking = true
      function leave (): void {
        if (!isAsking) return
        isAsking = false
        console.asking--
      }
      console.asking++
      const stay = gone(() => {
        leave()
        if (console.asking === 0) console.rest()
      })
      try {
        return await console.topic
      } finally {
        stay()
        leave()
      }
    },

    say: lines => { listener?.(lines) },

    close: () => {
      isClosed = true
      for (const { end } of [...open.values()]) end()
      stateTopic?.end()
      logTopic?.end()
    }
  }
}
