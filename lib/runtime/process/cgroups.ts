/**
 * A cgroup for each life (cgroups(7), version 2): whatever a service does to its session and its environment, everything of
 * it is found there, can be ended, and is limited as far as the controllers are to be had. Where the system lets nobody make
 * a directory there, services go without.
 */
import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmdirSync, statfsSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { codeOf, textOf } from '../fleet/index.js'
import type { Home } from './place.js'
import { isGone, readProcStatus } from './proc-status.js'
import { lookAt, type Stat } from './processes.js'

export interface Cgroup {
  readonly path: string
  /** Everything that runs in it, and in those that it has made below. */
  members (): Promise<readonly Stat[]>
  /** Whether anything does. */
  isEmpty (): boolean
  /** Ends everything in it at once, also what is being started at this moment. False where the kernel cannot (before 5.14). */
  kill (): boolean
  /** Takes it away when nothing runs in it any more. */
  remove (): void
}

/** What a service may take at most; in force as far as there are controllers for it. */
export interface CgroupLimits {
  /** MB, for all of its processes together; 0: any. */
  readonly memory: number
  /** Processors. */
  readonly cpu: number | undefined
  /** Processes and threads. */
  readonly pids: number | undefined
}

/** The life that a cgroup was made for. */
export interface CgroupLife {
  readonly name: string
  readonly token: string
  readonly cgroup: Cgroup
}

export interface Cgroups {
  /** The directory that all are in. */
  readonly directory: string
  readonly controllers: readonly string[]
  /** Makes one; throws what prevents it. */
  make (name: string, token: string, limits: CgroupLimits): Cgroup
  /** Those of this cloud in which something runs; the others are taken away. */
  findAll (): CgroupLife[]
}

const MAGIC = 0x63677270
const CONTROLLERS = ['memory', 'cpu', 'pids']
/** The cgroup that a core is in where its own is to be left to others (`DelegateSubgroup=core` in the systemd unit). */
const SUBGROUP = 'core'
/** Microseconds: the period over which `cpu.max` counts. */
const PERIOD = 100_000

/** Answers the cgroups of a cloud, or why there are none. `base`: the directory to make them in, when not the core's own cgroup. */
export function openCgroups (home: Home, base?: string): Cgroups | string {
  try {
    const parent = base ?? ownCgroup()
    if (parent === undefined) return 'this system mounts no cgroups of version 2'
    // To move a process from one cgroup to another takes this right on what is above both.
    accessSync(join(parent, 'cgroup.procs'), constants.W_OK)
    const directory = join(parent, 'fastify-cloud')
    makeDirectory(directory)
    for (const path of [parent, directory]) enable(path)
    const controllers = readWords(join(directory, 'cgroup.subtree_control')).filter(name => CONTROLLERS.includes(name))
    return createCgroups(directory, controllers, home)
  } catch (error) {
    return textOf(error)
  }
}

function createCgroups (directory: string, controllers: readonly string[], home: Home): Cgroups {
  return {
    directory,
    controllers,
    make: (name, token, limits) => {
      const path = join(directory, nameOf(home, name, token))
      makeDirectory(path)
      try {
        for (const [file, value] of settingsOf(limits, controllers)) writeFileSync(join(path, file), value)
      } catch (error) {
        rmdirSync(path)
        throw error
      }
      return createCgroup(path)
    },
    findAll: () => readdirSync(directory).flatMap(entry => {
      const [, id, name, token] = /^(\d+:\d+)\.([A-Za-z0-9_-]+)\.([0-9a-f]{32})$/.exec(entry) ?? []
      if (id !== home.id || name === undefined || token === undefined) return []
      const cgroup = createCgroup(join(directory, entry))
      if (!cgroup.isEmpty()) return [{ name, token, cgroup }]
      cgroup.remove()
      return []
    })
  }
}

const nameOf = (home: Home, name: string, token: string): string => `${home.id}.${name}.${token}`

/** The name of the cgroup of the life, of whichever cloud, that a process is in. */
export function lifeOf (pid: number): string | undefined {
  try {
    return /\/(\d+:\d+\.[A-Za-z0-9_-]+\.[0-9a-f]{32})(?:\/|$)/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'latin1'))?.[1]
  } catch {
    return undefined
  }
}

/** The cgroup of a life, as an earlier core has noted it; undefined when it is gone, or not what it should be. */
export function recallCgroup (path: string, home: Home, name: string, token: string): Cgroup | undefined {
  try {
    return basename(path) === nameOf(home, name, token) && statfsSync(path).type === MAGIC ? createCgroup(path) : undefined
  } catch {
    return undefined
  }
}

/** What is written into which file. */
export function settingsOf ({ memory, cpu, pids }: CgroupLimits, controllers: readonly string[]): Array<readonly [file: string, value: string]> {
  return [
    ...(memory > 0 && controllers.includes('memory')
      // All of a service ends when it has too much, not whichever of its processes was the largest.
      ? [['memory.max', String(memory * 1024 * 1024)], ['memory.oom.group', '1']] as const
      : []),
    ...(cpu !== undefined && controllers.includes('cpu') ? [['cpu.max', `${Math.round(cpu * PERIOD)} ${PERIOD}`]] as const : []),
    ...(pids !== undefined && controllers.includes('pids') ? [['pids.max', String(pids)]] as const : [])
  ]
}

function createCgroup (path: string): Cgroup {
  return {
    path,
    members: async () => (await Promise.all([...new Set(pidsBelow(path))].map(lookAt))).filter(stat => stat !== undefined && !isGone(stat)) as Stat[],
    isEmpty: () => pidsBelow(path).every(pid => {
      const now = readProcStatus(pid)
      return now === undefined || isGone(now)
    }),
    kill: () => {
      try {
        writeFileSync(join(path, 'cgroup.kill'), '1', { flag: 'r+' })
        return true
      } catch (error) {
        return isAway(error) && !hasEntry(path)
      }
    },
    remove: () => {
      try {
        for (const one of withAllBelow(path)) rmdirSync(one)
      } catch {
        // Something still ends there: whoever opens the cloud next takes it away.
      }
    }
  }
}

/** ENODEV: the cgroup went while its file was open. */
const isAway = (error: unknown): boolean => ['ENOENT', 'ENODEV'].includes(codeOf(error) ?? '')

function hasEntry (path: string): boolean {
  try {
    return readdirSync(path).length > 0
  } catch {
    return false
  }
}

/** A cgroup and all below it, the lowest first. */
function withAllBelow (path: string): string[] {
  try {
    const children = readdirSync(path, { withFileTypes: true }).filter(entry => entry.isDirectory())
    return [...children.flatMap(({ name }) => withAllBelow(join(path, name))), path]
  } catch (error) {
    if (isAway(error)) return []
    throw error
  }
}

function pidsBelow (path: string): number[] {
  return withAllBelow(path).flatMap(one => readWords(join(one, 'cgroup.procs')).map(Number))
}

function readWords (path: string): string[] {
  try {
    return readFileSync(path, 'latin1').split(/\s+/).filter(word => word !== '')
  } catch (error) {
    // EOPNOTSUPP: one whose threads are spread has no processes to list.
    if (isAway(error) || codeOf(error) === 'EOPNOTSUPP') return []
    throw error
  }
}

function makeDirectory (path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** Hands on what controllers there are to those below. EBUSY: there are processes in it, so that it may not (the core itself, for instance). */
function enable (path: string): void {
  const there = readWords(join(path, 'cgroup.controllers'))
  for (const name of CONTROLLERS.filter(one => there.includes(one))) {
    try {
      writeFileSync(join(path, 'cgroup.subtree_control'), `+${name}`)
    } catch {
      // Without it, then: what is in force is read and told.
    }
  }
}

/** The directory of the cgroup that this process is in, or of the one above it where the core has one to itself. */
function ownCgroup (): string | undefined {
  const own = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1]
  // proc(5): id, parent, device, root, mount point, …, `-`, type.
  const mount = readFileSync('/proc/self/mountinfo', 'utf8').split('\n').map(line => line.split(' ')).find(fields => fields[fields.indexOf('-') + 1] === 'cgroup2')
  const [, , , root, point] = mount ?? []
  if (own === undefined || root === undefined || point === undefined) return undefined
  const path = relative(root, own)
  if (path.startsWith('..')) return undefined
  const directory = join(point, path)
  return basename(directory) === SUBGROUP ? dirname(directory) : directory
}
