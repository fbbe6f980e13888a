import assert from 'node:assert/strict'
import type { StateChange } from '../../../types/runtime.js'
import type { RuntimeCases } from '../runtime.js'
import { same } from '../suite.js'
import * as shapes from './shapes.js'

/** The contract of `states`. */
export const states: RuntimeCases = async add => {
  await add('states.watch tells the states that a service goes through, in order', async stage => {
    const changes: StateChange[] = []
    const watching = new AbortController()
    stage.runtime.states?.watch(change => { changes.push(change) }, watching)
    const { name } = await stage.online()
    const told = () => changes.filter(({ serviceName }) => serviceName === name).map(({ state }) => state)
    await stage.until('STARTING and ONLINE are told', () => told().join().startsWith('STARTING,ONLINE'))
    await stage.settled(stage.control.stop(name, stage.options))
    await stage.until('STOPPING and OFFLINE are told', () => told().join().includes('STOPPING,OFFLINE'))
    same(told(), ['STARTING', 'ONLINE', 'STOPPING', 'OFFLINE'])
    shapes.every(changes, shapes.stateChange, 'changes')
    watching.abort()
  })

  await add('states.watch tells nothing after the abort', async stage => {
    const changes: StateChange[] = []
    const watching = new AbortController()
    stage.runtime.states?.watch(change => { changes.push(change) }, watching)
    stage.runtime.states?.watch(change => { changes.push(change) }, { signal: AbortSignal.abort() })
    watching.abort()
    await stage.online()
    same(changes, [])
  })
}

/** The contract of `log`. */
export const log: RuntimeCases = async add => {
  await add('log.watch tells one line at a time, and none after the abort', async stage => {
    const lines: unknown[] = []
    const watching = new AbortController()
    stage.runtime.log?.watch(line => { lines.push(line) }, watching)
    if (stage.runtime.services.control !== undefined) await stage.online()
    for (const line of lines) assert.ok(typeof line === 'string' && !/[\r\n]/.test(line), `one line: ${JSON.stringify(line)}`)
    watching.abort()
    const told = lines.length
    if (stage.runtime.services.control !== undefined) await stage.stopped()
    assert.equal(lines.length, told)
  })
}
