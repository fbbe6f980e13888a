/** The cases of what is told of services that come and go without being asked for by name, and to whoever watches. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { StateChange } from '../../../types/runtime.js'
import { show } from '../suite.js'
import { several } from './furnished.js'
import { progress, restart } from './rolls-beside.js'
import type { Scene } from './scene.js'
import type { RuntimeCases, Stage } from './stage.js'

interface Has {
  readonly states: boolean
  readonly log: boolean
  readonly services: boolean
  readonly groups: boolean
  readonly restarts: boolean
  readonly reopen: boolean
}

/** Looks between two pauses, where time passes by itself: some states are short. */
const [LOOKS, LOOK_MS] = [15, 1]

/** Looks after which what stays ONLINE is taken for back. */
const UNSEEN_LOOKS = 500

/** Pauses in which what was listed has to be told. */
const LATE = 50

/** What was listed and what was told, by service. */
class Following {
  readonly #stage: Stage
  /** Of each name its services, one after the other, each by when it was made. */
  readonly #seen = new Map<string, Array<{ readonly createdAt: number, readonly states: string[] }>>()
  readonly #changes: StateChange[] = []
  readonly #watching = new AbortController()

  constructor (stage: Stage) {
    this.#stage = stage
    stage.runtime.states?.watch(change => { this.#changes.push(change) }, this.#watching)
  }

  /** Looks often, until something is over. */
  async until (what: string, isOver: () => Promise<boolean>): Promise<void> {
    const stage = this.#stage
    await stage.until(what, async () => {
      for (let looks = 0; looks < LOOKS; looks++) {
        for (const { name, state, createdAt } of await stage.services()) {
          const all = this.#seen.get(name) ?? []
          this.#seen.set(name, all)
          const last = all.at(-1)
          if (last?.createdAt !== createdAt) all.push({ createdAt, states: [state] })
          else if (last.states.at(-1) !== state) last.states.push(state)
        }
        if (await isOver()) return true
        if (stage.subject.pause !== undefined) return false
        await delay(LOOK_MS)
      }
      return false
    })
  }

  /** Fails where a service was listed in a state that it went to and that was not told. */
  async compare (): Promise<void> {
    const toldOf = (name: string): readonly string[] => this.#changes.filter(({ serviceName }) => serviceName === name).map(({ state }) => state)
    type Seen = readonly [string, ReadonlyArray<{ readonly states: readonly string[] }>]
    const isUntold = ([name, services]: Seen): boolean => {
      let at = 0
      // That a new one is STARTING may be told or not.
      return services.flatMap(({ states }) => states.slice(1)).some(state => {
        const found = toldOf(name).indexOf(state, at)
        at = found + 1
        return found === -1
      })
    }
    for (let pauses = 0; pauses < LATE && [...this.#seen].some(isUntold); pauses++) await this.#stage.pause()
    const untold = [...this.#seen].find(isUntold)
    assert.ok(untold === undefined, `states.watch must tell every state of ${untold?.[0]}: it was listed as ${show(untold?.[1].map(({ states }) => states))}, and told was ${show(toldOf(untold?.[0] ?? ''))}`)
    this.#watching.abort()
  }
}

/** What makes services go that nobody has named. */
const goings: ReadonlyArray<readonly [what: string, needs: 'restarts' | undefined, maximum: number, run: (scene: Scene, group: string) => Promise<unknown>, isOver: (stage: Stage, group: string) => Promise<boolean>]> = [
  [
    'groups.restart brings successors', 'restarts', 4, async ({ stage }, group) => await restart(stage, group),
    async (stage, group) => await progress(stage, group) === undefined
  ],
  [
    'it is above a lowered maximum', undefined, 3, async (scene, group) => await scene.ask('groups.edit', group, { maxOnlineService: 1 }),
    async (stage, group) => (await stage.services(group)).filter(({ state }) => state !== 'OFFLINE').length <= 1
  ],
  [
    'a higher minimum starts it', undefined, 3, async (scene, group) => await scene.ask('groups.edit', group, { minOnlineService: 3 }),
    async (stage, group) => (await stage.services(group)).filter(({ state }) => state === 'ONLINE').length === 3
  ]
]

const states = (has: Has): RuntimeCases => async add => {
  for (const [what, needs, maximum, run, isOver] of goings) {
    if (needs !== undefined && !has[needs]) continue
    await add(`states.watch tells every state that a service is listed in where ${what}`, async stage => {
      const { scene, group } = await several(stage, 2)
      await scene.ask('groups.edit', group, { maxOnlineService: maximum })
      const following = new Following(stage)
      await following.until('both are seen', async () => true)
      await run(scene, group)
      await following.until(`all is over where ${what}`, async () => await isOver(stage, group))
      await following.compare()
      scene.end()
    })
  }

  if (has.reopen) {
    await add('states.watch tells every state that a service is listed in after a new start of the core', async stage => {
      const { name: group } = await stage.withGroup({ minOnlineService: 1 })
      const online = async () => await stage.until('a service is ONLINE', async () => (await stage.services(group)).find(({ state }) => state === 'ONLINE'))
      await online()
      await stage.reopen()
      const { name } = await online()
      const following = new Following(stage)
      await following.until('it is seen', async () => true)
      const began = (await stage.find(name))?.startedAt
      await stage.says(true, 'services.restart', name)
      let hasLeft = false
      let looks = 0
      await following.until(`${name} is back`, async () => {
        const now = await stage.find(name)
        if (now?.state !== 'ONLINE') hasLeft = true
        // It may have been back before anybody could look.
        return now?.state === 'ONLINE' && (hasLeft || now.startedAt !== began || ++looks > UNSEEN_LOOKS)
      })
      await following.compare()
    })
  }
}

/** So often something happens until each of those who watch has heard of it. */
const TRIES = 4

const listeners = (has: Has): RuntimeCases => async add => {
  for (const part of ['states', 'log'] as const) {
    if (!has[part]) continue
    await add(`${part}.watch tells what happens to everybody who watches, whoever came first`, async stage => {
      const { scene, names: [name] } = await several(stage, 1)
      const ends = Array.from({ length: 3 }, () => new AbortController())
      const heard = ends.map(() => 0)
      const watch = (n: number): void => {
        const listener = (): void => { heard[n] = heard[n]! + 1 }
        if (part === 'states') stage.runtime.states?.watch(listener, ends[n]!)
        else stage.runtime.log?.watch(listener, ends[n]!)
      }
      for (const n of ends.keys()) watch(n)
      for (let tries = 0; tries < TRIES && (heard.includes(0) || tries === 0); tries++) {
        await scene.ask('services.stop', name!)
        await stage.becomes(name!, 'OFFLINE')
        await scene.ask('services.start', name!)
        await stage.becomes(name!, 'ONLINE')
        await stage.pause()
      }
      // A log may have nothing to say of all this.
      if (part === 'states' || heard.some(count => count > 0)) assert.ok(!heard.includes(0), `each of three who watch must hear what happens, and they have heard ${show(heard)} events`)
      for (const end of ends) end.abort()
      scene.end()
    })
  }
}

/** The contract of what is told, where groups can be made. */
export const told = (has: Has): RuntimeCases => async add => {
  if (!has.groups || !has.services) return
  if (has.states) await states(has)(add)
  await listeners(has)(add)
}
