/** One service as a process: its shim, its program, and the processes that these have started. */
import type { ChildProcess } from 'node:child_process'
import { statSync, watch, type FSWatcher } from 'node:fs'
import { basename, join } from 'node:path'
import { codeOf, readNote } from '../fleet/index.js'
import { lifeOf, type Cgroup } from './cgroups.js'
import { isIn, type Home, type Place } from './place.js'
import { readProcStatus, type ProcStatus } from './proc-status.js'
import { isAlive, isReachable, markedCensus, readStat, type Census, type Identity, type Stat } from './processes.js'
import { RUN, spawnShim, type Launch } from './shim.js'

/** `process.kill`, or what a test puts in its place. */
export type Kill = (pid: number, signal: NodeJS.Signals) => unknown

/** How long a shim may take to write down how its service ended. */
const LAST_WORDS = 2000

/** What a service has left running. */
export interface Leftover extends Identity {
  /** Of another user than the core and the service's files, and only its environment says that it belongs there, which anybody may have written. */
  readonly isStrange: boolean
}

export interface ServiceProcess {
  readonly token: string
  /** Resolves when program and shim are both gone. What they started may still be there: see `leftovers`. */
  readonly ended: Promise<void>
  /** The program's process number, once the shim has told it. */
  pid (): number | undefined
  /** The session that everything of this service belongs to, unless it made one of its own. */
  session (): number | undefined
  /** Whether there is nobody left who would tell of its end: its shim has gone before it. */
  isAlone (): boolean
  /** Whether the program itself runs now. */
  isAlive (): boolean
  /** Looks whether it still runs, and settles `ended` when not. */
  check (): boolean
  /** Sends a signal to the program. */
  signal (signal: NodeJS.Signals): void
  /** Sends a signal to the program and everything in its group. */
  signalGroup (signal: NodeJS.Signals): void
  /** What it has started and left running: by cgroup, by session, and by the mark in the environment for those that left it. */
  leftovers (): Promise<Leftover[]>
  /** Sends a signal to one of the leftovers, if it is still the same process. */
  signalOther (other: Identity, signal: NodeJS.Signals): void
  /** Ends at once whatever is in its cgroup, now that it has ended. */
  killLeftovers (): void
  /** Nothing of it runs any more. */
  clear (): void
  /** Forgets about it without ending it. */
  release (): void
}

export interface ProcessParts {
  readonly home: Home
  readonly place: Place
  readonly token: string
  readonly kill: Kill
  /** What it runs in, if it has one. */
  readonly cgroup: Cgroup | undefined
}

/** Starts a new one; throws what prevents it. */
export async function startProcess (parts: ProcessParts, launch: Launch): Promise<ServiceProcess> {
  const child = spawnShim(launch)
  await new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  const started = createServiceProcess(parts, undefined, undefined, child)
  child.on('exit', () => { started.loseShim() })
  return started
}

/** Goes on with one that another core has started, of which one or both are known to run. */
export function takeOverProcess (parts: ProcessParts, shim: Identity | undefined, program: Identity | undefined): ServiceProcess {
  const found = createServiceProcess(parts, shim, program)
  found.watchShim()
  return found
}

/** What is left of one that has ended, to be searched for leftovers. */
export function remainsOf (parts: ProcessParts): ServiceProcess {
  const ended = createServiceProcess(parts, undefined, undefined)
  ended.release()
  return ended
}

interface Inner extends ServiceProcess {
  /** The shim has exited, and with it usually the program. */
  loseShim (): void
  /** For one that is no child of ours: has somebody quiet watched who tells of its end. */
  watchShim (): void
}

function createServiceProcess ({ home, place, token, kill, cgroup }: ProcessParts, shim: Identity | undefined, program: Identity | undefined, child?: ChildProcess): Inner {
  const { run } = place
  let settle = (): void => {}
  const ended = new Promise<void>(resolve => { settle = resolve })
  let watcher: FSWatcher | undefined
  let [over, alone] = [false, false]
  let programGoneAt: number | undefined

  /** As long as Node has not reaped a child, its number can be nobody else's. */
  const isChild = (): boolean => child?.exitCode === null && child.signalCode === null

  function findShim (): Identity | undefined {
    if (shim !== undefined || !isChild()) return shim
    try {
      shim = readStat(child?.pid as number)
    } catch {
      // It is there, whatever cannot be read of it.
    }
    return shim
  }

  function readPids (): void {
    let text: string
    try {
      text = readNote(join(run, RUN.pid))?.trim() ?? ''
    } catch {
      // Nothing that the shim has written.
      return
    }
    if (!/^\d+ \d+ \d+ \d+$/.test(text)) return
    const [pid, startTime, shimPid, shimStart] = text.split(' ').map(Number) as [number, number, number, number]
    // That of another life is no use.
    if (shim !== undefined && (shim.pid !== shimPid || shim.startTime !== shimStart)) return
    program = { pid, startTime }
    shim ??= { pid: shimPid, startTime: shimStart }
  }

  function findPid (): number | undefined {
    if (program === undefined && !over) readPids()
    return program?.pid
  }

  /** The number of the shim while that is there: when it has gone, anybody may get it, and lead a session. */
  function holder (): number | undefined {
    const its = findShim()
    return its !== undefined && (isChild() || isReachable(its)) ? its.pid : undefined
  }

  function isRunning (): boolean {
    return findPid() !== undefined && program !== undefined && isAlive(program, holder())
  }

  /** Whether the number of the shim's group can be nobody else's: it, or somebody in its session, is there. */
  const holdsGroup = (its: Identity): boolean => holder() !== undefined || (isRunning() && sessionOf(findPid()) === its.pid)

  function send (pid: number, signal: NodeJS.Signals): void {
    try {
      kill(pid, signal)
    } catch (error) {
      // It was quicker. Anything else shows in that it goes on living.
      if (!['ESRCH', 'EPERM'].includes(codeOf(error) ?? '')) throw error
    }
  }

  /** Whether it is in the cgroup of another life, whatever its mark says: nobody leaves the own one but who may do everything. */
  function isElsewhere (pid: number): boolean {
    return cgroup !== undefined && ![undefined, basename(cgroup.path)].includes(lifeOf(pid))
  }

  /** Whether it is in the cgroup of this life, which nobody leaves or enters without the right to. */
  const isMember = ({ pid }: Identity): boolean => cgroup !== undefined && lifeOf(pid) === basename(cgroup.path)

  /** Whether it is of the core's user, or of whom the service's files belong to, as whoever has started it was. What has ended meanwhile is nobody's. */
  function isKin (pid: number): boolean {
    const owner = statSync(place.files, { throwIfNoEntry: false })?.uid
    return usersOf(pid)?.every(user => user === process.geteuid?.() || user === owner) === true
  }

  function check (): boolean {
    if (over) return false
    if (isRunning()) return true
    const its = findShim()
    if (isChild() || (its !== undefined && isAlive(its))) {
      if (program === undefined || its === undefined) return true
      programGoneAt ??= performance.now()
      if (performance.now() - programGoneAt > LAST_WORDS) send(its.pid, 'SIGKILL')
      return true
    }
    // The shim may have told the number and ended between the two looks.
    if (isRunning()) return true
    over = true
    watcher?.close()
    settle()
    return false
  }

  function signal (name: NodeJS.Signals): void {
    if (findPid() !== undefined && program !== undefined && isReachable(program, holder())) send(program.pid, name)
  }

  return {
    token,
    ended,
    pid: findPid,
    session: () => findShim()?.pid,
    isAlone: () => alone,
    isAlive: isRunning,
    check,
    signal,
    signalGroup: name => {
      const its = findShim()
      if (its !== undefined && holdsGroup(its)) send(-its.pid, name)
      signal(name)
    },
    leftovers: async () => {
      const everybody = await markedCensus()
      const leader = findShim()
      const now = everybody.find(({ pid }) => pid === leader?.pid)
      const isOwn = async (one: Census[number]): Promise<boolean> => {
        if (one.mark?.token === token) return !isElsewhere(one.pid) && (one.mark.home === home.id || await isIn(one.pid, place) || (one.mark.home === undefined && leader !== undefined))
        // A number stays a session's as long as anybody is in it.
        return leader !== undefined && one.session === leader.pid && one.startTime >= leader.startTime &&
          (now === undefined || now.startTime === leader.startTime)
      }
      const are = await Promise.all(everybody.map(isOwn))
      const found = everybody.filter((_, index) => are[index])
      const members = await cgroup?.members() ?? []
      const isStrange = ({ pid, session }: Stat): boolean => session !== leader?.pid && !members.some(one => one.pid === pid) && !isKin(pid)
      return [
        ...found.map(one => ({ ...one, isStrange: isStrange(one) })),
        ...members.filter(({ pid }) => !found.some(one => one.pid === pid)).map(one => ({ ...one, isStrange: false }))
      ]
    },
    signalOther: (other, name) => { if (isReachable(other, holder()) || isMember(other)) send(other.pid, name) },
    killLeftovers: () => { cgroup?.kill() },
    clear: () => { cgroup?.remove() },
    release: () => {
      over = true
      watcher?.close()
    },
    loseShim: () => { alone = check() },
    watchShim: () => {
      alone = shim === undefined || !isAlive(shim)
      try {
        // Only the shim writes there, and only once: a quiet file to watch, unlike the directory with the console in it.
        watcher = watch(join(run, RUN.unfinishedExit), { persistent: false }, () => { check() })
        watcher.on('error', () => { alone = true })
      } catch {
        alone = true
      }
    }
  }
}

/** Undefined of one that is gone, or of which nothing can be said. */
function seen (pid: number | undefined): ProcStatus | undefined {
  try {
    return pid === undefined ? undefined : readProcStatus(pid)
  } catch {
    return undefined
  }
}

const usersOf = (pid: number): readonly number[] | undefined => seen(pid)?.users
const sessionOf = (pid: number | undefined): number | undefined => seen(pid)?.session
