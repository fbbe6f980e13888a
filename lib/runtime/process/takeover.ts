/** Going on where an earlier core has left off, however that ended. */
import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from './context.js'
import { end, endLeftovers } from './end.js'
import { codeOf, textOf } from './errors.js'
import type { Fleet } from './fleet.js'
import type { Groups } from './groups.js'
import { readMeta, type Meta } from './meta.js'
import { discard } from './prepare.js'
import { markedCensus } from './processes.js'
import { gate, pause } from './queue.js'
import { recipeFromMeta } from './recipe.js'
import { Service } from './service.js'
import { ServiceProcess } from './service-process.js'
import { claimOf, RUN } from './shim.js'

/** How long a shim may take between its first step and telling its number. */
const SHIM_START = 2000
const AT_ONCE = 32

/** Finds what earlier cores have started and puts it on the list, running or not. Nothing is started here. */
export async function takeOver (context: Context, groups: Groups, fleet: Fleet): Promise<void> {
  const root = join(context.settings.directory, 'services')
  const turn = gate(AT_ONCE)
  // Other names are what static services have left, or not ours at all.
  const names = (await readdir(root)).filter((name) => /^[A-Za-z0-9_-]+-\d+$/.test(name))
  await Promise.all(names.map(async (name) => await turn(async () => {
    const directory = join(root, name)
    try {
      const meta = await readMeta(join(directory, 'run', RUN.meta), name)
      if (meta !== undefined) await takeOne(context, groups, fleet, directory, meta)
    } catch (error) {
      context.settings.log({ level: 'error', message: `${join(directory, 'run', RUN.meta)} ${textOf(error)}: left as it is`, file: directory, error })
    }
  })))
}

async function takeOne (context: Context, groups: Groups, fleet: Fleet, directory: string, meta: Meta): Promise<void> {
  const { name, group, port, intent } = meta
  const { log } = context.settings
  const run = join(directory, 'run')
  const process = await find(context, run, meta)
  if (groups.get(group) === undefined) {
    if (groups.isDamaged(group)) {
      // Its players are not to suffer for a typing error: it runs on, and is taken over when the file is right again.
      if (process === undefined) return
      context.ports.keep(port)
      process.release()
      return log({ level: 'warn', message: `${name} runs on unwatched: the file of its group is damaged`, service: name, group })
    }
    if (process !== undefined) {
      log({ level: 'warn', message: `${name} is ended: its group is gone`, service: name, group })
      const { stop, stopTimeout } = recipeFromMeta(context, meta).definition
      await end(process, { run, stop, stopTimeout, kill: context.settings.timing.kill })
    }
    await discard(directory, meta.static)
    return
  }
  if (process === undefined && intent === 'remove') {
    if (!meta.static) await discard(directory, false)
    return
  }
  context.ports.keep(port)
  const service = fleet.put(new Service(context, { ...meta, meta }))
  if (process === undefined) return
  const text = await readFile(join(run, RUN.online), 'latin1').catch(() => '')
  service.adopt(process, recipeFromMeta(context, meta), /^\d+$/.test(text) ? Number(text) : undefined)
  if (intent !== 'run') service.stop(intent, 'was about to be stopped').catch((error) => log({ level: 'error', message: textOf(error), service: name, error }))
}

/** The process of a start, if it still runs; if not, nothing of it does when this resolves. */
async function find (context: Context, run: string, { name, token, bootId }: Meta): Promise<ServiceProcess | undefined> {
  const { log, timing } = context.settings
  if (bootId !== context.bootId) {
    log({ level: 'info', message: `${name} has ended: the machine was started anew`, service: name })
    return undefined
  }
  if (await neverBegan(run, token)) return undefined
  const until = performance.now() + SHIM_START
  for (;;) {
    const process = ServiceProcess.find(run, token, context.kill)
    if (process !== undefined) return process
    if (performance.now() > until || await readFile(join(run, RUN.pid)).then(() => true, () => false)) break
    // The claim may be that of a start long over, whose number was cleared away for the next one.
    if (!(await markedCensus()).some(({ mark }) => mark === token)) break
    await pause(20)
  }
  await endLeftovers(ServiceProcess.remains(run, token, context.kill), timing.kill)
  return undefined
}

/** Takes the shim's place, if that has not begun: then it never will, however late it comes. */
async function neverBegan (run: string, token: string): Promise<boolean> {
  try {
    await (await open(join(run, claimOf(token)), 'wx')).close()
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}
