/* eslint-disable no-template-curly-in-string -- these are the placeholders of platforms */
/** Opens clouds in directories of their own and leaves nothing of them behind, whatever a test does. */
import { execFileSync, fork, type ChildProcess, type ForkOptions } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { openWith } from '../../../lib/runtime/process/open.js'
import type { LogEntry, ProcessRuntimeOptions, ProcessRuntime } from '../../../lib/runtime/process/index.js'
import type { Kill } from '../../../lib/runtime/process/service-process.js'
import { readStat } from '../../../lib/runtime/process/processes.js'
import { ports } from '../../fixtures/ports.js'
import { repository } from '../../fixtures/repository.js'
import { until } from '../../fixtures/until.js'
import type { Group } from '../../../types/resources.js'
import type { CallOptions, Groups, RuntimeService, Services, Templates } from '../../../types/runtime.js'

export const call: CallOptions = { signal: new AbortController().signal }

export const root = repository

export const programs = join(root, 'test', 'fixtures', 'programs')

/** A platform that runs one of the fixtures. */
export function platform (program: string, changes: object = {}): object {
  return {
    type: 'SERVER',
    versions: ['latest'],
    // The test runner has every program load its own things first; these are to be as they are.
    command: 'env',
    args: ['-u', 'NODE_OPTIONS', process.execPath, join(programs, `${program}.mjs`)],
    env: { SERVICE_PORT: '${port}' },
    ready: { tcp: true },
    startTimeout: 20_000,
    stop: { signal: 'SIGTERM' },
    stopTimeout: 2000,
    ...changes
  }
}

export const game = platform('game', { ready: { status: true }, stop: { stdin: 'stop' } })

export function group (name: string, changes: Partial<Group> = {}): Group {
  return {
    name,
    minMemory: 64,
    maxMemory: 128,
    minOnlineService: 1,
    maxOnlineService: 3,
    platform: { name: 'game', version: 'latest' },
    percentageToStartNewService: 0,
    properties: {},
    templates: [],
    createdAt: 1,
    ...changes
  }
}

export interface Cloud {
  runtime: ProcessRuntime
  services: Services & { control: NonNullable<Services['control']> }
  groups: Groups & { control: NonNullable<Groups['control']> }
  templates: Templates
  directory: string
  log: LogEntry[]
  service (name: string): RuntimeService | undefined
  /** Waits until a service is in a state. */
  state (name: string, state: string): Promise<RuntimeService>
  pid (name: string): number | undefined
  console (name: string): string
  logged (text: string): LogEntry | undefined
  /** Why the last decision about a group was what it was. */
  reason (group: string): string | undefined
  /** Opens the directory again, after it was closed. */
  reopen (): Promise<void>
}

type Options = Partial<ProcessRuntimeOptions> & { platforms?: Record<string, object>, kill?: Kill, prepare?: (directory: string) => void }

/** A cloud for one test, with timings short enough to wait for. */
export async function cloud (t: Test, { platforms = { game }, kill, prepare, ...options }: Options = {}): Promise<Cloud> {
  const directory = temporary(t)
  mkdirSync(join(directory, 'platforms'), { recursive: true })
  for (const [name, definition] of Object.entries(platforms)) {
    writeFileSync(join(directory, 'platforms', `${name}.json`), JSON.stringify({ name, ...definition }))
  }
  prepare?.(directory)
  const log: LogEntry[] = []
  const open = async () => await openWith({
    directory,
    ports,
    log: (entry) => log.push(entry),
    ...options,
    timing: { tick: 100, ping: 200, sample: 200, pause: 200, longestPause: 1000, kill: 500, ...options.timing }
  }, kill)
  const opened = { directory, log } as Cloud
  const set = (runtime: ProcessRuntime) => Object.assign(opened, { runtime, services: runtime.services, groups: runtime.groups, templates: runtime.templates })
  set(await open())
  opened.reopen = async () => { set(await open()) }
  opened.service = (name) => (opened.services.list(call) as RuntimeService[]).find((service) => service.name === name)
  opened.state = async (name, state) => await until(() => {
    const service = opened.service(name)
    return service?.state === state ? service : undefined
  }, () => `${name} ${state}; it is ${opened.service(name)?.state}; ${log.slice(-4).map(({ message }) => message).join(' | ')}`)
  opened.pid = (name) => pidIn(directory, name)
  opened.console = (name) => read(join(directory, 'services', name, 'run', 'console.log'))
  opened.reason = (name) => opened.groups.reasons?.of(name, call) as string | undefined
  opened.logged = (text) => log.find(({ message }) => message.includes(text))
  t.teardown(async () => { await opened.runtime.close().catch(() => {}) })
  return opened
}

/** A directory that goes away with the test, and with it every process that was started in it. */
export function temporary (t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'cloud-process-'))
  t.teardown(async () => {
    await endAllIn(directory)
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  })
  return directory
}

/** The processes that work in a directory, with a mark or without. */
export const workingIn = (directory: string): number[] => readdirSync('/proc').map(Number).filter(pid => pid > 0 && linkOf(pid, 'cwd').startsWith(directory))

/** Ends whatever works in a directory. Once is not enough: what is ended may just have been starting something. */
async function endAllIn (directory: string): Promise<void> {
  for (let quiet = 0; quiet < 3;) {
    const left = workingIn(directory)
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It has ended by itself.
      }
    }
    quiet = left.length === 0 ? quiet + 1 : 0
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

/** Where a link of a process leads, or nothing when it has gone. */
export function linkOf (pid: number, link: string): string {
  try {
    return readlinkSync(`/proc/${pid}/${link}`)
  } catch {
    return ''
  }
}

export function pidIn (directory: string, name: string): number | undefined {
  const text = read(join(directory, 'services', name, 'run', 'pid'))
  return text === '' ? undefined : Number(text.split(' ')[0])
}

/** Whether there is such a process, and it is no zombie. */
export function runs (pid: number | undefined): boolean {
  const stat = pid === undefined ? undefined : readStat(pid)
  return stat !== undefined && stat.state !== 'Z' && stat.state !== 'X'
}

export function read (path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Makes a pipe with a name. */
export function makeFifo (path: string): void {
  execFileSync('mkfifo', [path])
}

export const runtimePath = new URL('../../../lib/runtime/process/index.js', import.meta.url).href

// The test runner's own loaders have no place in them, and make them slow.
export const bare = { execArgv: [], env: { PATH: process.env.PATH, HOME: process.env.HOME } }

/** A core in a process of its own, that can be killed; `how` is how that process is started. */
export async function core (t: Test, directory: string, options: object = {}, how: ForkOptions = {}) {
  const child: ChildProcess = fork(join(programs, 'core.mjs'), [runtimePath, directory, JSON.stringify({ timing: { tick: 100, ping: 200, sample: 200, pause: 200, kill: 500 }, ...options })], { silent: true, ...bare, ...how })
  t.teardown(async () => { await kill() })
  let output = ''
  child.stdout?.on('data', (data) => { output += data })
  child.stderr?.on('data', (data) => { output += data })
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }
  await until(() => output.includes('open\n') || child.exitCode !== null, () => `the core to open: ${output}`)
  let last = 0
  const ask = async <T>(part: string, verb: string, ...args: unknown[]): Promise<T> => {
    const id = ++last
    return await new Promise<T>((resolve, reject) => {
      const answer = (message: { id: number, value: T, error?: string }) => {
        if (message.id !== id) return
        child.off('message', answer)
        if (message.error === undefined) resolve(message.value)
        else reject(new Error(message.error))
      }
      child.on('message', answer)
      child.send({ id, part, verb, args })
    })
  }
  /** What it was asked to do with its own process; see `core.mjs`. */
  const own = async (verb: string, ...args: unknown[]) => await ask('', verb, ...args)
  return { ask, kill, own, pid: child.pid as number, output: () => output }
}

/** A directory with platforms in it, in which no core has been yet. */
export function withPlatforms (t: Test, platforms: Record<string, object>): string {
  const directory = temporary(t)
  mkdirSync(join(directory, 'platforms'), { recursive: true })
  for (const [name, definition] of Object.entries(platforms)) writeFileSync(join(directory, 'platforms', `${name}.json`), JSON.stringify({ name, ...definition }))
  return directory
}
