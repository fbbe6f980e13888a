/** Finding what earlier cores have started, however they ended and whatever became of their notes. */
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Note } from '../../../types/engine.js'
import { codeOf, createGate, readNote, type Log } from '../fleet/index.js'
import { recallCgroup, type Cgroup, type CgroupLife, type Cgroups } from './cgroups.js'
import { readMeta, type Meta } from './meta.js'
import { portOf } from './ownership.js'
import { isIn, isServiceName, placeByLinks, placeOf, type Home, type Place } from './place.js'
import { isCores, readProcStatus, wordsOf } from './proc-status.js'
import { isAlive, isReachable, isThisBoot, markedCensus, type Census, type Identity, type Stat } from './processes.js'
import { claimOf, RUN } from './shim.js'

/** What is left of one life. */
export interface Trace {
  readonly place: Place
  readonly token: string
  readonly cgroup: Cgroup | undefined
  /** Absent: it does not run any more. */
  readonly running?: { readonly shim: Identity | undefined, readonly program: Identity | undefined }
  /** Whether something that it has started runs although it does not. */
  readonly leftovers: boolean
  /** Nothing but a mark says that it was a life: what carries that is ended, and says nothing of the service. */
  readonly isStrange: boolean
  readonly note: Note | undefined
  /** 0 when it is not known. */
  readonly port: number
  /** Absent: where all services of this cloud listen. */
  readonly host?: string | undefined
  readonly startedAt: number
  /** Where in the console's file it begins. */
  readonly consoleFrom: number
  /** How many pieces of it are kept. */
  readonly keepConsole: number
  /** For one that has ended, why, when that is known without its exit status. */
  readonly cause?: string
}

const AT_ONCE = 32
/** Pieces of a console, where nobody has noted how many. */
const KEPT = 3

export async function findTraces (home: Home, cgroups: Cgroups | undefined, log: Log): Promise<readonly Trace[]> {
  const turn = createGate(AT_ONCE)
  // Other names are what static services have left, or not ours at all.
  const names = (await readdir(home.path)).filter(isServiceName)
  const metas = new Map<string, Meta>()
  await Promise.all(names.map(async name => await turn(async () => {
    const { run } = placeOf(home, name)
    const meta = readMeta(join(run, RUN.meta))
    if (meta === 'damaged') log({ level: 'error', message: `${join(run, RUN.meta)} is none of this runtime's, or damaged`, service: name })
    else if (meta !== undefined) {
      // A shim that has not begun never will now: what is not seen in the following will not come later.
      await claim(run, meta.token)
      metas.set(name, meta)
    }
  })))
  const marked = (await markedCensus()).filter(({ mark }) => mark !== undefined)
  const lives = new Map<string, Life>()
  function lifeOf (place: Place, token: string): Life {
    const key = `${place.name} ${token}`
    const life = lives.get(key) ?? { place, token, marked: [], unmarked: [] }
    lives.set(key, life)
    return life
  }
  for (const one of marked) {
    const place = await whereabouts(one, home, metas)
    if (place !== undefined) lifeOf(place, one.mark?.token as string).marked.push(one)
  }
  for (const { name, token, cgroup } of knownCgroups(home, cgroups, metas)) {
    const members = await cgroup.members()
    if (members.length === 0) continue
    const life = lifeOf(placeOf(home, name), token)
    life.cgroup = cgroup
    life.unmarked.push(...members.filter(({ pid }) => !life.marked.some(one => one.pid === pid)))
  }
  // What holds a life is known by what it was started with, whatever else can be read of it now.
  for (const [name, { token }] of metas) {
    const place = placeOf(home, name)
    if (!lives.has(`${name} ${token}`) && isHeld(place, token)) lifeOf(place, token)
  }
  const running = await Promise.all([...lives.values()].map(async life => await traceLife(life, metas.get(life.place.name))))
  const found = new Set(running.map(({ place, token }) => `${place.name} ${token}`))
  const ended = [...metas].filter(([name, { token }]) => !found.has(`${name} ${token}`))
  return [...running, ...await Promise.all(ended.map(async ([name, meta]) => await traceEnded(placeOf(home, name), meta)))]
}

/** Takes the shim's place, if that has not begun. */
async function claim (run: string, token: string): Promise<void> {
  try {
    await (await open(join(run, claimOf(token)), 'wx')).close()
  } catch (error) {
    // Where nothing can be written, no shim can begin either; and who has put something else there has begun.
    if (!['EEXIST', 'EROFS', 'ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '')) throw error
  }
}

/** Where a marked process belongs, if that is here. */
async function whereabouts ({ pid, mark }: Census[number], home: Home, metas: ReadonlyMap<string, Meta>): Promise<Place | undefined> {
  if (mark?.home !== undefined && mark.name !== undefined) {
    // Whoever made it up may have named anything that lies there.
    if (!isServiceName(mark.name)) return undefined
    const place = placeOf(home, mark.name)
    // Somebody may have removed the directory of all services while they ran: it is another one now, at the same place.
    return mark.home === home.id || await isIn(pid, place) ? place : undefined
  }
  // Version 0.1.0 did not say it: a copy of a running cloud has the same tokens, but nothing works in it.
  const named = [...metas].filter(([, { token }]) => token === mark?.token).map(([name]) => placeOf(home, name))
  for (const place of named) if (await isIn(pid, place)) return place
  return await placeByLinks(pid, home)
}

/** What runs of one life. */
interface Life {
  readonly place: Place
  readonly token: string
  readonly marked: Array<Census[number]>
  /** What is found in its cgroup, and has no mark of it. */
  readonly unmarked: Stat[]
  cgroup?: Cgroup
}

/** By their names, and, for those that another core has made elsewhere, by its notes. */
function knownCgroups (home: Home, cgroups: Cgroups | undefined, metas: ReadonlyMap<string, Meta>): CgroupLife[] {
  const found = cgroups?.findAll() ?? []
  const noted = [...metas].flatMap(([name, { token, cgroup: path }]) => {
    const cgroup = path === undefined || found.some(({ cgroup }) => cgroup.path === path) ? undefined : recallCgroup(path, home, name, token)
    return cgroup === undefined ? [] : [{ name, token, cgroup }]
  })
  return [...found, ...noted]
}

async function traceLife (life: Life, meta: Meta | undefined): Promise<Trace> {
  const { place, token, marked: processes, unmarked, cgroup } = life
  const known = meta?.token === token ? meta : undefined
  const told = readPids(place)
  // Whoever is another user may have written the mark of any life: tokens are no secret, they stand in the arguments of shims.
  const members = new Set((await cgroup?.members())?.map(({ pid }) => pid))
  const own = processes.filter(({ pid }) => isOfCore(pid) || members.has(pid))
  // A daemon of it may lead a session as well; a shim was started with the token, but for those of version 0.1.0.
  const leaders = own.filter(({ pid, session }) => pid === session && isOfCore(pid))
  const leader = leaders.find(({ pid }) => wordsOf(pid).includes(token)) ?? oldest(leaders.filter(({ mark }) => mark?.home === undefined))
  // What is told may be of another life.
  const right = told !== undefined && (leader === undefined || isSame(told.shim, leader)) ? told : undefined
  const shim = leader ?? right?.shim
  const program = right?.program ?? processes.find(({ parent }) => parent === leader?.pid) ?? oldest(own) ?? (told === undefined ? oldest(unmarked) : undefined)
  const isStrange = !isOurs(life, meta)
  const isThere = shim !== undefined && isAlive(shim)
  const alive = !isStrange && (isThere || (program !== undefined && isAlive(program)))
  return {
    place,
    token,
    cgroup,
    // What else carries its mark is what it has left behind.
    ...(alive ? { running: { shim, program } } : {}),
    leftovers: !alive,
    isStrange,
    note: known === undefined ? undefined : noteOf(place, known),
    port: known === undefined ? await portOf(program?.pid ?? 0) : known.port,
    host: known?.host,
    startedAt: known?.startedAt ?? await startedAt(place),
    consoleFrom: known?.consoleFrom ?? 0,
    keepConsole: known?.keepConsole ?? KEPT
  }
}

/**
 * Whether the core has begun a life: it has noted that, made its cgroup, or its shim runs as the same user. A mark by itself is an
 * environment, and a service of another user may have written one for a name that it is not.
 */
function isOurs ({ token, marked, cgroup }: Life, meta: Meta | undefined): boolean {
  return meta?.token === token || cgroup !== undefined || marked.some(({ pid }) => isOfCore(pid))
}

/** Whether a process is of the core's user, as a shim is. */
function isOfCore (pid: number): boolean {
  try {
    const now = readProcStatus(pid)
    return now !== undefined && isCores(now)
  } catch {
    return false
  }
}

async function traceEnded (place: Place, meta: Meta): Promise<Trace> {
  const { token, note, consoleFrom } = meta
  return {
    place,
    token,
    cgroup: undefined,
    leftovers: false,
    isStrange: false,
    note,
    port: meta.port,
    host: meta.host,
    startedAt: meta.startedAt ?? await startedAt(place),
    consoleFrom,
    keepConsole: meta.keepConsole ?? KEPT,
    ...(isThisBoot(meta.bootId) ? {} : { cause: 'the machine was started anew' })
  }
}

/** What the shim has told, as it stands. */
function readPids ({ run }: Place): { readonly program: Identity, readonly shim: Identity } | undefined {
  const text = tryNote(join(run, RUN.pid))
  const [, ...numbers] = /^(\d+) (\d+) (\d+) (\d+)\s*$/.exec(text) ?? []
  if (numbers.length === 0) return undefined
  const [pid, startTime, shim, shimStart] = numbers.map(Number) as [number, number, number, number]
  return { program: { pid, startTime }, shim: { pid: shim, startTime: shimStart } }
}

/** Whether the shim that has told its number runs still, for that life and with that directory: a copy of it has the same number in it. */
function isHeld (place: Place, token: string): boolean {
  const shim = readPids(place)?.shim
  if (shim === undefined || !isReachable(shim)) return false
  const words = wordsOf(shim.pid)
  return words.includes(token) && words.includes(place.files)
}

/** Version 0.1.0 noted beside it when it was ready. */
function noteOf ({ run }: Place, { note, token }: Meta): Note {
  const text = tryNote(join(run, RUN.online))
  return /^\d+$/.test(text) ? { ...note, life: { token, onlineAt: Number(text) } } : note
}

/** Nothing, where it is not there or is no file of the shim's. */
function tryNote (path: string): string {
  try {
    return readNote(path) ?? ''
  } catch {
    return ''
  }
}

async function startedAt ({ run }: Place): Promise<number> {
  return await stat(join(run, RUN.pid)).then(({ mtimeMs }) => Math.round(mtimeMs), () => Date.now())
}

const isSame = (one: Identity, other: Identity): boolean => one.pid === other.pid && one.startTime === other.startTime
const oldest = (processes: readonly Identity[]): Identity | undefined => [...processes].sort((a, b) => a.startTime - b.startTime)[0]
