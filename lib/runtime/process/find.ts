/** Finding what earlier cores have started, however they ended and whatever became of their notes. */
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Note } from '../../../types/engine.js'
import { codeOf, createGate, readNote, type Log } from '../fleet/index.js'
import { readMeta, type Meta } from './meta.js'
import { portOf } from './ownership.js'
import { isIn, isServiceName, placeByLinks, placeOf, type Home, type Place } from './place.js'
import { isAlive, isThisBoot, markedCensus, type Census, type Identity } from './processes.js'
import { claimOf, RUN } from './shim.js'

/** What is left of one life. */
export interface Trace {
  readonly place: Place
  readonly token: string
  /** Absent: it does not run any more. */
  readonly running?: { readonly shim: Identity | undefined, readonly program: Identity | undefined }
  /** Whether something that it has started runs although it does not. */
  readonly leftovers: boolean
  readonly note: Note | undefined
  /** 0 when it is not known. */
  readonly port: number
  /** Absent: where all services of this cloud listen. */
  readonly host?: string | undefined
  readonly startedAt: number
  /** Where in the console's file it begins. */
  readonly consoleFrom: number
  /** For one that has ended, why, when that is known without its exit status. */
  readonly cause?: string
}

const AT_ONCE = 32

export async function findTraces (home: Home, log: Log): Promise<readonly Trace[]> {
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
  const lives = new Map<string, { readonly place: Place, readonly processes: Array<Census[number]> }>()
  for (const one of marked) {
    const place = whereabouts(one, home, metas)
    if (place === undefined) continue
    const key = `${place.name} ${one.mark?.token}`
    const life = lives.get(key) ?? { place, processes: [] }
    life.processes.push(one)
    lives.set(key, life)
  }
  const running = await Promise.all([...lives.values()].map(async ({ place, processes }) => await traceLife(place, processes, metas.get(place.name))))
  const found = new Set(running.map(({ place, token }) => `${place.name} ${token}`))
  const ended = [...metas].filter(([name, { token }]) => !found.has(`${name} ${token}`))
  return [...running, ...await Promise.all(ended.map(async ([name, meta]) => await traceEnded(placeOf(home, name), meta)))]
}

/** Takes the shim's place, if that has not begun. */
async function claim (run: string, token: string): Promise<void> {
  try {
    await (await open(join(run, claimOf(token)), 'wx')).close()
  } catch (error) {
    // Where nothing can be written, no shim can begin either.
    if (!['EEXIST', 'EROFS', 'ENOSPC', 'EACCES', 'ENOENT'].includes(codeOf(error) ?? '')) throw error
  }
}

/** Where a marked process belongs, if that is here. */
function whereabouts ({ pid, mark }: Census[number], home: Home, metas: ReadonlyMap<string, Meta>): Place | undefined {
  if (mark?.home !== undefined) return mark.home === home.id && mark.name !== undefined ? placeOf(home, mark.name) : undefined
  // Version 0.1.0 did not say it: a copy of a running cloud has the same tokens, but nothing works in it.
  const named = [...metas].filter(([, { token }]) => token === mark?.token).map(([name]) => placeOf(home, name))
  return named.find(place => isIn(pid, place)) ?? placeByLinks(pid, home)
}

async function traceLife (place: Place, processes: Census, meta: Meta | undefined): Promise<Trace> {
  const token = processes[0]?.mark?.token as string
  const known = meta?.token === token ? meta : undefined
  const told = readPids(place)
  const leader = processes.find(({ pid, session }) => pid === session)
  // What is told may be of another life.
  const right = told !== undefined && (leader === undefined || isSame(told.shim, leader)) ? told : undefined
  const shim = leader ?? right?.shim
  const program = right?.program ?? processes.find(({ parent }) => parent === leader?.pid) ?? oldest(processes)
  const alive = [shim, program].some(one => one !== undefined && isAlive(one))
  return {
    place,
    token,
    // What else carries its mark is what it has left behind.
    ...(alive ? { running: { shim, program } } : {}),
    leftovers: !alive,
    note: known === undefined ? undefined : noteOf(place, known),
    port: known === undefined ? portOf(program?.pid ?? 0) : Number(known.note['port'] ?? 0),
    host: known?.host,
    startedAt: known?.startedAt ?? await startedAt(place),
    consoleFrom: known?.consoleFrom ?? 0
  }
}

async function traceEnded (place: Place, meta: Meta): Promise<Trace> {
  const { token, note, consoleFrom } = meta
  return {
    place,
    token,
    leftovers: false,
    note,
    port: Number(note['port'] ?? 0),
    host: meta.host,
    startedAt: meta.startedAt ?? await startedAt(place),
    consoleFrom,
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
const oldest = (processes: Census): Identity | undefined => [...processes].sort((a, b) => a.startTime - b.startTime)[0]
