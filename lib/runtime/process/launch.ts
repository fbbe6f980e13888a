/** Starting a service: its port, its files, the note for a later core, and then its process, in this order. */
import { randomBytes } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Group } from '../../../types/resources.js'
import type { Context } from './context.js'
import { StartError } from './errors.js'
import { readMeta, writeMeta, type Meta } from './meta.js'
import { isFree } from './ports.js'
import { clearClaims, discard, prepare } from './prepare.js'
import { MARK } from './processes.js'
import { commandFor, type Recipe } from './recipe.js'
import { ServiceProcess } from './service-process.js'
import { RUN } from './shim.js'

export interface Launched {
  readonly process: ServiceProcess
  readonly meta: Meta
}

export interface LaunchRequest {
  readonly group: Group
  readonly recipe: Recipe
  readonly index: number
  readonly createdAt: number
  readonly port: number
  /** `services/<name>`. */
  readonly directory: string
  /** Of the start before; absent on the first. */
  readonly meta: Meta | undefined
}

/** Starts a process; whatever prevents it is thrown. Aborted before the process exists, nothing is left running. */
export async function launch (context: Context, request: LaunchRequest, signal: AbortSignal): Promise<Launched> {
  const { group, recipe, index, createdAt, port, directory } = request
  const { settings, templates, bootId } = context
  const name = `${group.name}-${index}`
  const [run, files] = [join(directory, 'run'), join(directory, 'files')]
  await keepOldFiles(context, request, name)
  const { command, args, env, files: texts } = commandFor(context, recipe, group, { name, port, directory: files })
  await prepare({
    directory,
    templates: recipe.templates.map((template) => templates.pathOf(template.name)),
    files: texts,
    static: recipe.static,
    first: request.meta === undefined,
    leftOut: (path, why) => settings.log({ level: 'warn', message: `${path} is not copied into ${name}: ${why}`, service: name, file: path })
  }, signal)
  const token = randomBytes(16).toString('hex')
  const consoleFrom = await lstat(join(run, RUN.console)).then(({ size }) => size, () => 0)
  const { type, platform, properties, minMemory, maxMemory } = recipe
  const meta: Meta = {
    name,
    group: group.name,
    index,
    port,
    createdAt,
    intent: 'run',
    static: recipe.static,
    token,
    bootId,
    consoleFrom,
    type,
    platform,
    templates: recipe.templates.map((template) => template.name),
    properties,
    minMemory,
    maxMemory
  }
  // Before the process: a core that comes after a crash must know of everything that may run.
  await writeMeta(join(run, RUN.meta), meta)
  await clearClaims(run)
  signal.throwIfAborted()
  return { meta, process: ServiceProcess.start({ run, files, token, command, args, env: { ...env, [MARK]: token } }, context.kill) }
}

/**
 * The port a service starts with: the one it has, as long as nobody else listens there. On its first start it may
 * get another; later it keeps its own, because others know it by then.
 */
export async function settlePort (context: Context, port: number, first: boolean): Promise<number> {
  const { settings: { host }, ports } = context
  for (let candidate = port; ;) {
    if (await isFree(host, candidate)) {
      if (candidate !== port) ports.release(port)
      return candidate
    }
    const next = first ? ports.take(candidate) : undefined
    if (candidate !== port) ports.release(candidate)
    if (next === undefined) throw new StartError(`port ${port} is in use by another program`)
    candidate = next
  }
}

/** What a static service left under this name stays, even when the group is no longer static. */
async function keepOldFiles ({ settings }: Context, { meta, recipe, directory }: LaunchRequest, name: string): Promise<void> {
  const before = meta ?? await readMeta(join(directory, 'run', RUN.meta), name).catch(() => undefined)
  if (before?.static !== true || recipe.static) return
  const aside = await discard(directory, true)
  settings.log({ level: 'warn', message: `The files of the static service ${name} are kept in ${aside}`, service: name, directory: aside })
}
