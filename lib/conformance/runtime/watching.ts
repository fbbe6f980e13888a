/** The cases of `states` and `log`: what happens is told, in order, until the abort. */
import assert from 'node:assert/strict'
import type { RuntimeService, StateChange } from '../../../types/runtime.js'
import { same } from '../suite.js'
import * as shapes from './shapes.js'
import { show, type Stage, type RuntimeCases } from './stage.js'

/** The contract of `states`. */
export const states: RuntimeCases = async add => {
  await add('states.watch tells the states that a service goes through, in order', async stage => {
    const changes: StateChange[] = []
    const watching = new AbortController()
    stage.runtime.states?.watch(change => { changes.push(change) }, watching)
    const { name } = stage.runtime.groups.control === undefined ? await startedAgain(stage, changes) : await stage.online()
    const told = () => changes.filter(({ serviceName }) => serviceName === name).map(({ state }) => state)
    const saw = () => `of ${name} ${show(told())}`
    await stage.until('STARTING and ONLINE are told', () => told().join().startsWith('STARTING,ONLINE'), saw)
    await stage.call('services.stop', name)
    await stage.until('STOPPING and OFFLINE are told', () => told().join().includes('STOPPING,OFFLINE'), saw)
    same(told(), ['STARTING', 'ONLINE', 'STOPPING', 'OFFLINE'], `the states of ${name}, each once and in order`)
    shapes.every(changes, shapes.stateChange, 'changes')
    watching.abort()
  })

  await add('states.watch tells nothing after the abort', async stage => {
    const changes: StateChange[] = []
    const watching = new AbortController()
    stage.runtime.states?.watch(change => { changes.push(change) }, watching)
    stage.runtime.states?.watch(change => { changes.push(change) }, { signal: AbortSignal.abort() })
    watching.abort()
    if (stage.runtime.groups.control === undefined) await startedAgain(stage)
    else await stage.online()
    same(changes, [], 'nothing may be told after the abort, nor to who watches with a signal that is aborted already')
  })
}

/** Where no group can be made, a service that was ONLINE from the start has to begin once more to be told of. */
async function startedAgain (stage: Stage, changes?: StateChange[]): Promise<RuntimeService> {
  const service = await stage.stopped()
  if (changes !== undefined) {
    await stage.until('OFFLINE is told', () => changes.at(-1)?.state === 'OFFLINE', () => show(changes.map(({ state }) => state)))
    changes.splice(0)
  }
  await stage.call('services.start', service.name)
  return await stage.becomes(service.name, 'ONLINE')
}

/** The contract of `log`. */
export const log: RuntimeCases = async add => {
  await add('log.watch tells one line at a time, and none after the abort', async stage => {
    const lines: unknown[] = []
    const watching = new AbortController()
    stage.runtime.log?.watch(line => { lines.push(line) }, watching)
    if (stage.runtime.services.control !== undefined) await stage.online()
    for (const line of lines) assert.ok(typeof line === 'string' && !/[\r\n]/.test(line), `log.watch must tell one line at a time, and told ${show(line)}`)
    watching.abort()
    const told = lines.length
    if (stage.runtime.services.control !== undefined) await stage.stopped()
    same(lines.slice(told), [], 'log.watch may tell nothing after the abort')
  })
}
