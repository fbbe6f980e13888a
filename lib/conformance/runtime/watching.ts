/** The cases of `states` and `log`: what happens is told, in order, until the abort. */
import assert from 'node:assert/strict'
import type { StateChange } from '../../../types/runtime.js'
import { show } from '../suite.js'
import type { Stage, RuntimeCases } from './stage.js'
import { watcherCases, type Scenery, type Source } from './watchers.js'

/** A service that is stopped and started in turn: that can be watched. */
async function toggling (stage: Stage, listen: Scenery['listen']): Promise<Scenery> {
  const { name } = await stage.online()
  let isOn = true
  return {
    listen,
    async provoke () {
      await stage.call(isOn ? 'services.stop' : 'services.start', name)
      isOn = !isOn
      await stage.becomes(name, isOn ? 'ONLINE' : 'OFFLINE')
      await stage.pause()
    },
    begin () {
      Promise.resolve(stage.control[isOn ? 'stop' : 'start'](name, stage.options)).catch(() => {})
      isOn = !isOn
    }
  }
}

const stateSource: Source = {
  name: 'states.watch',
  prepare: async stage => await toggling(stage, (listener, options) => stage.runtime.states?.watch(listener, options))
}

const logSource: Source = {
  name: 'log.watch',
  prepare: async stage => await toggling(stage, (listener, options) => stage.runtime.log?.watch(listener, options))
}

/** The contract of `states`. */
export const states: RuntimeCases = async add => {
  await watcherCases(add, stateSource)

  await add('states.watch tells every state that a service is listed in, in order', async stage => {
    const changes: StateChange[] = []
    const watching = new AbortController()
    const { name } = await stage.online()
    const seen: string[] = []
    stage.runtime.states?.watch(change => { changes.push(change) }, watching)
    const told = () => changes.filter(({ serviceName }) => serviceName === name).map(({ state }) => state)
    const look = async (): Promise<void> => {
      const state = (await stage.find(name))?.state ?? 'nothing'
      if (seen.at(-1) !== state) seen.push(state)
    }
    for (const [verb, state] of [['stop', 'OFFLINE'], ['start', 'ONLINE'], ['restart', 'ONLINE']] as const) {
      await look()
      const before = changes.length
      await stage.call(`services.${verb}`, name)
      await look()
      // A restart may need a moment to begin.
      await stage.until(`states.watch tells that ${name} is ${state}`, async () => {
        await look()
        return changes.length > before && told().at(-1) === state && seen.at(-1) === state
      }, () => `told ${show(told())}, listed ${show(seen)}`)
    }
    let at = 0
    for (const state of seen.slice(1)) {
      const found = told().indexOf(state as StateChange['state'], at)
      assert.ok(found !== -1, `states.watch must tell every state of ${name}: it was listed as ${show(seen)}, and told was ${show(told())}`)
      at = found + 1
    }
    watching.abort()
  })
}

/** The contract of `log`. */
export const log: RuntimeCases = async add => {
  await watcherCases(add, logSource)

  await add('log.watch tells one line at a time', async stage => {
    const lines: unknown[] = []
    const watching = new AbortController()
    stage.runtime.log?.watch(line => { lines.push(line) }, watching)
    const { provoke } = await logSource.prepare(stage)
    await provoke()
    for (const line of lines) assert.ok(typeof line === 'string' && !/[\r\n]/.test(line), `log.watch must tell one line at a time, and told ${show(line)}`)
    watching.abort()
  })
}
