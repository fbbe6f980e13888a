/** Tells one proxy of its servers, from its start to its end: writes its file whole, and makes it look. */
import type { Files, Running } from '../../../../types/engine.js'
import type { Scheduler } from '../clock.js'
import { DefinitionError, textOf } from '../faults.js'
import type { Log } from '../options.js'
import { createQueue } from '../queue.js'
import { attempt, createLater, wait, type Later, type Task } from '../task.js'
import { createConversation } from './conversation.js'
import type { NetworkDefinition } from './definition.js'
import type { Server } from './server.js'
import { writers, type Rendering, type RenderOptions } from './writers/index.js'

/** What comes within so many milliseconds is told together, and to all proxies in the same moment: many of them get the same file. */
const GATHER = 50
/** A proxy is told for at most this part of the time. */
const SHARE = 0.05
/** Between two times that one proxy is told; what comes meanwhile is told together. */
const PAUSE = 400
/** How many players there are is told that often. */
const PLAYERS = 1000
/** After it could not be told. */
const RETRY = 1000
/** A program that reads its file anew may lose a signal that comes meanwhile, as haproxy does; after so long it has read it. */
const READ = 5000
/** What a proxy was told last. */
export interface Told {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly servers: readonly Server[]
}

export interface Teller {
  readonly service: string
  readonly definition: NetworkDefinition
  readonly told: Told | undefined
  /** Why it could not be told, when that is so. */
  readonly problem: string | undefined
  /** Something is different; `players`: only how many there are. */
  touch (what: 'players' | 'more'): void
  /** It takes players from now on, and is told all. */
  ready (): void
  /** Answers when what holds now was told, or could not be. */
  tell (): Later<void>
  /** Answers when nothing is under way any more. */
  end (): Task<void>
}

export interface TellerParts {
  readonly clock: Scheduler
  readonly log: Log
  readonly service: string
  readonly group: string
  readonly running: Running
  readonly definition: NetworkDefinition
  /** The servers as they are now. */
  list (): readonly Server[]
  /** The file, for writers that need nothing of what is there; several proxies share it. */
  render (): string
}

export const renderOptionsOf = ({ proxyProtocol }: NetworkDefinition): RenderOptions => ({ proxyProtocol })

/**
 * How long a file may be into which only some is written, in characters: to read it takes the event loop, and what is in it is whatever the
 * proxy, or a template, has put there. Of the cloud's own entries none has more than so many.
 */
const LONGEST = 64 * 1024
const ENTRY = 512
/** So many entries a file that is written may have beyond twice as many as there were servers at most: names are parked, not removed, and a proxy may put any there. */
const PARKED = 1_000

function checkLength (file: string, text: string | undefined, servers: readonly Server[], entries = servers.length): void {
  const hosts = new Set(servers.flatMap(({ hosts }) => hosts))
  const longest = LONGEST + ENTRY * (entries + hosts.size)
  if (text !== undefined && text.length > longest) throw new DefinitionError(`${file} cannot be used: it has ${text.length} characters, and may have ${longest}`)
}

/** Lays the file for a proxy that is about to start. */
export function * lay (files: Files, definition: NetworkDefinition, servers: readonly Server[]): Task<void> {
  const { file, writer: name } = definition
  const writer = writers[name]
  yield * wait(writer.load?.())
  const text = writer.merges ? yield * wait(files.read(file)) : undefined
  checkLength(file, text, servers)
  yield * wait(files.write(file, writer.render(servers, renderOptionsOf(definition), { text, isNew: true }).text))
}

export function createTeller ({ clock, log, service, group, running, definition, list, render }: TellerParts): Teller {
  const { file, reload } = definition
  const writer = writers[definition.writer]
  const options = renderOptionsOf(definition)
  const queue = createQueue()
  let isReady = false
  let over = false
  let last: Rendering | undefined
  let most = 0
  /** Where names led when the proxy looked last. */
  let looked: ReadonlyMap<string, string> | undefined
  /** It has to look, whether its file is another one or not. */
  let hasToLook = true
  let waiting: Array<Later<void>> = []
  let due = Infinity
  let notBefore = -Infinity
  let cancel = (): void => {}
  let failures = 0
  let signalled = -Infinity
  let mayBeLost = false
  let cancelRepeat = (): void => {}
  /** The problem that was logged. */
  let said: string | undefined

  function schedule (ms: number): void {
    const at = Math.ceil(Math.max(clock.elapsed() + ms, notBefore) / GATHER) * GATHER
    if (over || at >= due) return
    cancel()
    due = at
    cancel = clock.after(at - clock.elapsed(), () => {
      due = Infinity
      attempt(() => queue.add(round), () => {})
    })
  }

  function * round (): Task<void> {
    const mine = waiting
    waiting = []
    // Rounds are on the beat of GATHER: what a timer was late is not paid with a whole beat more.
    notBefore = Math.round(clock.elapsed() / GATHER) * GATHER + PAUSE
    try {
      if (!over) yield * tellAll()
      teller.problem = said = undefined
      failures = 0
    } catch (error) {
      const problem = textOf(error)
      failures++
      // One that has just ended cannot be told either: it is said when that is so a moment later as well.
      if (failures > 1 && problem !== said && !over) {
        said = problem
        log({ level: 'error', message: `${service} cannot be told of its servers: ${problem}`, service, group, error })
      }
      teller.problem = problem
      hasToLook = true
      schedule(RETRY)
    } finally {
      for (const later of mine) later.resolve()
    }
  }

  function * tellAll (): Task<void> {
    const { files } = running
    if (files === undefined) throw new Error('nobody else than itself can write into its directory')
    const servers = list()
    let [before, rendering]: [string | undefined, Rendering] = [last?.text, { text: '' }]
    if (writer.merges) {
      // It may be reading what was laid for its start.
      if (!isReady) return
      yield * wait(writer.load?.())
      before = yield * wait(files.read(file))
      if (before !== last?.text) checkLength(file, before, servers)
      const began = clock.elapsed()
      try {
        most = Math.max(most, servers.length)
        rendering = writer.render(servers, options, { text: before, last, looked, isNew: false })
        checkLength(file, rendering.text, servers, 2 * most + PARKED)
      } finally {
        notBefore = Math.max(notBefore, began + (clock.elapsed() - began) / SHARE)
      }
    } else rendering = { text: render() }
    if (before !== rendering.text) {
      hasToLook = true
      yield * wait(files.write(file, rendering.text))
    }
    last = rendering
    hasToLook ||= mayBeLost
    mayBeLost = false
    if (isReady && hasToLook && !over) {
      yield * look(servers)
      looked = rendering.names
    }
    if (isReady) hasToLook = false
    teller.told = { at: clock.now(), servers }
    if (rendering.unfinished === true) schedule(PAUSE)
  }

  /** The last of several signals is sent once more. */
  function repeat (): void {
    const isAlone = clock.elapsed() >= signalled + READ
    signalled = clock.elapsed()
    cancelRepeat()
    if (isAlone) return
    cancelRepeat = clock.after(READ, () => {
      mayBeLost = true
      schedule(0)
    })
  }

  function * look (servers: readonly Server[]): Task<void> {
    if (reload === undefined) return
    if ('stdin' in reload) {
      if (!(yield * wait(running.write(reload.stdin)))) throw new Error('it does not read its console')
    } else if ('signal' in reload) {
      if (running.signal === undefined) throw new Error('it cannot be sent a signal')
      yield * wait(running.signal(reload.signal))
      repeat()
    } else {
      if (writer.converse === undefined) throw new Error('nobody can connect to its socket')
      yield * writer.converse(servers, options, createConversation({ clock, running, path: reload.socket, servers: servers.length, isOver: () => over }))
    }
  }

  const teller = {
    service,
    definition,
    told: undefined as Told | undefined,
    problem: undefined as string | undefined,
    touch: (what: 'players' | 'more'): void => {
      if (what === 'more') schedule(GATHER)
      else if (writer.counts) schedule(PLAYERS)
    },
    ready: (): void => {
      if (isReady) return
      isReady = true
      hasToLook = true
      schedule(0)
    },
    tell: (): Later<void> => {
      const later = createLater<void>()
      if (over) later.resolve()
      else {
        waiting.push(later)
        schedule(GATHER)
      }
      return later
    },
    * end (): Task<void> {
      over = true
      cancel()
      cancelRepeat()
      const left = waiting
      waiting = []
      for (const later of left) later.resolve()
      yield * wait(queue.drained())
    }
  }
  return teller
}
