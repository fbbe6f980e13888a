/** The cases of `states` and `log`: what happens is told, in order, until the abort. */
import assert from 'node:assert/strict'
import type { StateChange } from '../../../types/runtime.js'
import { show } from '../suite.js'
import type { Stage, RuntimeCases } from './stage.js'
import { watcherCases, type Scenery, type Source } from './watchers.js'

/** Pauses without anything told after which nothing of before is on its way any more. */
const QUIET = 3
/** So many are made where something is told all the time. */
const MOST_PAUSES = 50

/** A service that is stopped and started in turn: that can be watched. */
async function toggling (stage: Stage, listen: Scenery['listen']): Promise<Scenery> {
  let count = 0
  // What happened before somebody watches may be told late: it waits until nothing is told any more.
  const watching = new AbortController()
  listen(() => { count++ }, watching)
  const quiet = async (): Promise<void> => {
    for (let all = 0, since = 0, before = count; since < QUIET && all < MOST_PAUSES; all++) {
      await stage.pause()
      since = count === before ? since + 1 : 0
      before = count
    }
  }
  const { name } = await stage.online()
  await quiet()
  let isOn = true
  return {
    listen,
    async provoke () {
      await stage.call(isOn ? 'services.stop' : 'services.start', name)
      isOn = !isOn
      await stage.becomes(name, isOn ? 'ONLINE' : 'OFFLINE')
      await quiet()
    },
    begin () {
      Promise.resolve(stage.control[isOn ? 'stop' : 'start'](name, stage.options)).catch(() => {})
      isOn = !isOn
    },
    end: () => { watching.abort() }
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

  await add('states.watch tells who watches when nobody has for a while', async stage => {
    const first = new AbortController()
    stage.runtime.states?.watch(() => {}, { signal: first.signal })
    const { name } = await stage.online()
    first.abort()
    await stage.pause()
    const heard: unknown[] = []
    const second = new AbortController()
    const answer = Promise.resolve(stage.runtime.states?.watch(change => { heard.push(change) }, { signal: second.signal }))
    // It may last until the abort, and be promised.
    answer.catch(() => {})
    await stage.pause()
    await stage.says(true, 'services.stop', name)
    await stage.becomes(name, 'OFFLINE')
    await stage.until('states.watch tells of the stop', () => heard.length > 0)
    second.abort()
  })

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
      const [before, { revision }] = [changes.length, stage.runtime.services]
      await stage.call(`services.${verb}`, name)
      await look()
      // One that is over by then has left no state, and moved the revision.
      const isOver = verb === 'restart' && seen.at(-1) === state && revision !== undefined && stage.runtime.services.revision !== revision
      // A restart may need a moment to begin.
      await stage.until(`states.watch tells that ${name} is ${state}`, async () => {
        await look()
        return (isOver || changes.length > before) && told().at(-1) === state && seen.at(-1) === state
      }, () => `told ${show(told())}, listed ${show(seen)}`)
      for (let more = isOver ? 3 : 0; more > 0; more--) {
        await stage.pause()
        await look()
      }
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

/** The contract of `states`, for what comes to an end with its group. */
export const lastStates: RuntimeCases = async add => {
  await add('states.watch tells every state that a service is listed in while its group is deleted', async stage => {
    const changes: StateChange[] = []
    const watching = new AbortController()
    const all = [await stage.online(), await stage.online()]
    const seen = new Map(all.map(({ name }) => [name, ['ONLINE']]))
    stage.runtime.states?.watch(change => { changes.push(change) }, watching)
    const look = async (): Promise<void> => {
      for (const { name, state } of await stage.services()) if (seen.get(name)?.at(-1) !== state) seen.get(name)?.push(state)
    }
    const call = { isOver: false }
    const deleting = (async () => await stage.groupControl.delete(all[0]!.groupName, stage.options))().finally(() => { call.isOver = true })
    // Awaited below; a failure there must not count as one that nobody hears of.
    deleting.catch(() => {})
    await stage.until('groups.delete answers', async () => {
      for (let steps = 0; steps < 20; steps++) await undefined
      await look()
      return call.isOver
    })
    assert.ok(await deleting, 'groups.delete must answer true')
    const toldOf = (name: string): readonly string[] => changes.filter(({ serviceName }) => serviceName === name).map(({ state }) => state)
    const isUntold = ([name, states]: readonly [string, readonly string[]]): boolean => {
      let at = 0
      return states.slice(1).some(state => {
        const found = toldOf(name).indexOf(state, at)
        at = found + 1
        return found === -1
      })
    }
    // What was listed may be told a moment later.
    for (let pauses = 0; pauses < MOST_PAUSES && [...seen].some(isUntold); pauses++) await stage.pause()
    const untold = [...seen].find(isUntold)
    assert.ok(untold === undefined, `states.watch must tell every state of ${untold?.[0]}: it was listed as ${show(untold?.[1])}, and told was ${show(toldOf(untold?.[0] ?? ''))}`)
    // What was STARTING or ONLINE may be gone from the list before anybody could look.
    const last = () => all.find(({ name }) => toldOf(name).at(-1) !== 'OFFLINE')
    for (let pauses = 0; pauses < MOST_PAUSES && last() !== undefined; pauses++) await stage.pause()
    assert.ok(last() === undefined, `${last()?.name ?? ''} was ONLINE and is gone: states.watch must tell that it is OFFLINE, and told was ${show(toldOf(last()?.name ?? ''))}`)
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
