/** What stands in `platforms/<name>.json`, and how it is read. */
import { constants } from 'node:os'
import type { PlanImage } from '../../../../types/engine.js'
import type { ServiceType } from '../../../../types/resources.js'
import { isPlatformName } from '../names.js'
import { jsonProblem } from '../plain-file.js'
import { readNetwork, type NetworkDefinition } from '../network/definition.js'
import { readDownloads, type Downloads } from './download-definition.js'
import { staysInside } from './inside.js'
import { ENGINE_PLACEHOLDERS, FLEET_PLACEHOLDERS, isSecret, placeholdersIn, SECRET_PLACEHOLDERS } from './placeholders.js'

export type Ready =
  | { readonly log: RegExp }
  | { readonly status: true }
  | { readonly tcp: true }
  /** The engine says it; no file can ask for that. */
  | { readonly engine: true }

export type Stop =
  | { readonly stdin: string }
  | { readonly signal: NodeJS.Signals }

/** How to run one kind of program. */
export interface PlatformDefinition {
  readonly name: string
  readonly type: ServiceType
  readonly versions: readonly string[]
  /** Arguments in front of the command: a program that runs it, with what limits it. */
  readonly wrap?: readonly string[]
  /** Empty: what its image runs by itself. */
  readonly command: string
  /** What engines of containers make its services of; absent: nothing is said. Its name may hold `${version}`. */
  readonly image?: PlanImage
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Texts to write into a service's directory, by their path in it. */
  readonly files: Readonly<Record<string, string>>
  readonly ready: Ready
  readonly startTimeout: number
  readonly stop: Stop
  readonly stopTimeout: number
  /** A service that has answered and does so no more for so long is restarted. Absent: it is left alone. */
  readonly watchdog?: { readonly seconds: number }
  /** The port of the first service of a group that asks for none. */
  readonly port?: number
  /** How a proxy is told of the servers behind it. Absent: it is not. */
  readonly network?: NetworkDefinition
  /** What services of a version need, and where it is to be had; fetched before the first start. */
  readonly downloads?: Downloads
  /** The oldest Java that runs it, of all versions or by version. */
  readonly java?: number | Readonly<Record<string, number>>
}

/** A field that is wrong, and what it should be. */
export interface Problem {
  readonly field: string
  readonly problem: string
}

const PLACEHOLDERS: readonly string[] = [...FLEET_PLACEHOLDERS, ...ENGINE_PLACEHOLDERS, ...SECRET_PLACEHOLDERS]
/** Characters of a line in which `ready.log` is looked for. */
const LOOKED_AT = 512
const FIELDS = new Set([
  'name', 'type', 'versions', 'wrap', 'command', 'image', 'args', 'env', 'files', 'ready', 'startTimeout', 'stop', 'stopTimeout', 'watchdog', 'port',
  'downloads', 'java', 'network'
])

/**
 * Whether a plain line of the console says that the service is ready. Only the beginning of the line is looked at: the
 * expression is the operator's and may be slow, while what a game server prints may be a stranger's.
 */
export function saysReady (ready: Ready, line: string): boolean {
  return 'log' in ready && ready.log.test(line.slice(0, LOOKED_AT))
}

/** Reads a definition; `name` is that of its file. Answers it, or everything that is wrong with it. */
export function readDefinition (name: string, text: string): PlatformDefinition | readonly Problem[] {
  const problems: Problem[] = []
  const check = (field: string, right: boolean, problem: string) => {
    if (!right) problems.push({ field, problem })
    return right
  }
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch (error) {
    return [{ field: '(file)', problem: jsonProblem(text, error) }]
  }
  if (!isRecord(given)) return [{ field: '(file)', problem: 'must contain an object' }]
  const { wrap = [], args = [], env = {}, files = {}, stop = { signal: 'SIGTERM' }, startTimeout = 60_000, stopTimeout = 5000 } = given

  for (const field of Object.keys(given)) check(field, FIELDS.has(field), 'is unknown')
  check('name', isPlatformName(given.name) && given.name === name, 'must be the name of the file without .json')
  check('type', given.type === 'SERVER' || given.type === 'PROXY', 'must be SERVER or PROXY')
  check('versions', isTexts(given.versions) && given.versions.length > 0 && given.versions.every(version => version.length > 0 && version.length <= 64),
    'must be a list of one or more texts of 1 to 64 characters')
  const image = readImage(given.image)
  check('image', image !== 'wrong', 'must be the name of an image, such as node:22, or { "name": "<image>", "writable": true }')
  check('command', (given.command === undefined && given.image !== undefined) || (isText(given.command) && given.command.trim() !== ''), 'must be a text')
  check('wrap', isTexts(wrap) && (wrap.length === 0 || wrap[0]?.trim() !== ''), 'must be a list of texts, the first one a program')
  check('wrap', given.command !== undefined || given.wrap === undefined, 'needs a command')
  check('args', isTexts(args), 'must be a list of texts')
  check('env', isRecord(env) && Object.entries(env).every(([key, value]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) && isText(value)),
    'must be an object of texts')
  if (check('files', isRecord(files) && Object.values(files).every(value => typeof value === 'string'), 'must be an object of texts')) {
    for (const path of Object.keys(files as object)) check(`files.${path}`, staysInside(path), 'must be a path inside the service\'s directory')
  }
  for (const [field, value] of [['wrap', wrap], ['command', given.command], ['image', given.image], ['args', args], ['env', env]] as const) {
    for (const key of placeholdersIn(JSON.stringify(value ?? ''))) {
      check(field, PLACEHOLDERS.includes(key), `has an unknown placeholder \${${key}}`)
      check(field, field === 'env' || !isSecret(key), `has \${${key}}, which everybody on the machine would see there: it belongs into env or files`)
    }
  }
  for (const key of placeholdersIn(JSON.stringify(files))) check('files', !isSecret(key) || PLACEHOLDERS.includes(key), `has an unknown placeholder \${${key}}`)
  const ready = readReady(given.ready)
  const expression = expressionProblem(given.ready)
  if (expression !== undefined) check('ready.log', false, `is no regular expression: ${expression}`)
  else check('ready', ready !== undefined, 'must be { "log": "<regular expression>" }, { "status": true } or { "tcp": true }')
  check('stop', isStop(stop), 'must be { "stdin": "<line>" } or { "signal": "SIG…" }')
  for (const [field, value] of [['startTimeout', startTimeout], ['stopTimeout', stopTimeout]] as const) {
    check(field, Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 3_600_000, 'must be milliseconds, 1 to 3600000')
  }
  check('watchdog', given.watchdog === undefined || isWatchdog(given.watchdog), 'must be { "seconds": <1 to 86400> }')
  check('port', given.port === undefined || (Number.isInteger(given.port) && (given.port as number) >= 1 && (given.port as number) <= 65_535), 'must be a port, 1 to 65535')
  const network = given['network'] === undefined ? undefined : readNetwork(given['network'], staysInside)
  if (Array.isArray(network)) problems.push(...network as Problem[])
  check('network', network === undefined || given.type === 'PROXY', 'is for platforms of type PROXY')
  const versions: readonly unknown[] = Array.isArray(given.versions) ? given.versions : []
  const downloads = given.downloads === undefined ? undefined : readDownloads(given.downloads, versions, isRecord(files) ? files : {}, check)
  check('java', given.java === undefined || isJava(given.java, versions), 'must be the oldest Java that runs it, 8 to 99, or an object of such numbers by version')
  if (problems.length > 0) return problems
  return {
    ...given, command: given.command ?? '', ...(image === undefined ? {} : { image }), args, env, files, stop, startTimeout, stopTimeout, ready, ...(network === undefined ? {} : { network }), ...(downloads === undefined ? {} : { downloads })
  } as unknown as PlatformDefinition
}

function readReady (given: unknown): Ready | undefined {
  if (!isRecord(given) || Object.keys(given).length !== 1) return undefined
  if (given.status === true) return { status: true }
  if (given.tcp === true) return { tcp: true }
  if (typeof given.log !== 'string' || given.log === '') return undefined
  const log = expressionOf(given.log)
  return log instanceof RegExp ? { log } : undefined
}

/** What is wrong with the expression, where there is one. */
function expressionProblem (ready: unknown): string | undefined {
  const expression = isRecord(ready) && typeof ready.log === 'string' ? expressionOf(ready.log) : undefined
  return expression instanceof RegExp ? undefined : expression
}

/** The expression, or what is wrong with it. */
function expressionOf (text: string): RegExp | string {
  try {
    return new RegExp(text)
  } catch (error) {
    return (error as Error).message.replace('Invalid regular expression: ', '')
  }
}

function isStop (given: unknown): given is Stop {
  if (!isRecord(given) || Object.keys(given).length !== 1) return false
  if (typeof given.signal === 'string') return Object.hasOwn(constants.signals, given.signal)
  return isText(given.stdin) && !/[\r\n]/.test(given.stdin) && Buffer.byteLength(given.stdin) <= 4095
}

/** A name as registries have it, in lower case, with a tag or a digest where it has one; no more than the version is to be filled in. */
const IMAGE = /^(?:[a-zA-Z0-9]|\$\{version\})(?:[\w.:/@-]|\$\{version\}){0,254}$/

function readImage (given: unknown): PlanImage | 'wrong' | undefined {
  if (given === undefined) return undefined
  const { name, writable = false, ...rest } = isRecord(given) ? given : { name: given }
  const isRight = typeof name === 'string' && IMAGE.test(name) && typeof writable === 'boolean' && Object.keys(rest).length === 0
  return isRight ? { name, writable } : 'wrong'
}

function isWatchdog (given: unknown): boolean {
  return isRecord(given) && Object.keys(given).join() === 'seconds' && Number.isInteger(given.seconds) && (given.seconds as number) >= 1 && (given.seconds as number) <= 86_400
}

const isMajor = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 8 && (value as number) <= 99

function isJava (given: unknown, versions: readonly unknown[]): boolean {
  return isMajor(given) || (isRecord(given) && Object.entries(given).every(([version, oldest]) => versions.includes(version) && isMajor(oldest)))
}

function isRecord (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** No NUL: no such text can become an argument. */
function isText (value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0')
}

function isTexts (value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText)
}
