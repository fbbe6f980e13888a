/** The cases of a `revision` over many changes: each moves it, the second of its kind as the first. */
import type { RuntimeService } from '../../../types/runtime.js'
import { byValue, same } from '../suite.js'
import type { List } from './listed.js'
import type { Stage, RuntimeCases } from './stage.js'

interface Has {
  readonly services: boolean
  readonly templates: boolean
  readonly join: boolean
  readonly crash: boolean
  readonly force: boolean
}

/** Pauses for a change to be listed. */
const LOOKS = 12

type Step = readonly [what: string, run: () => Promise<unknown>]

const templates = ['Conformance-1', 'Conformance-2', 'Conformance-3'] as const

/** Two of every change that a list can show. */
const chains: Readonly<Record<string, (stage: Stage, has: Has) => AsyncGenerator<Step>>> = {
  async * groups (stage, has) {
    const { name } = stage.group()
    const all = [1, 2, 3].map(n => `${name}-${n}`)
    for (const one of all) yield [`groups.create of ${one}`, async () => await stage.says(true, 'groups.create', stage.group({ name: one, maxOnlineService: 0 }))]
    for (const one of all) for (const percentageToStartNewService of [9, 8]) yield [`groups.edit of ${one}`, async () => await stage.call('groups.edit', one, { percentageToStartNewService })]
    for (const edited of ['one', 'two']) yield ['groups.edit of properties', async () => await stage.call('groups.edit', all[1]!, { properties: { ...stage.group().properties, edited } })]
    if (has.templates) {
      await stage.says(true, 'templates.create', templates[0])
      for (const one of all) yield [`groups.edit of the templates of ${one}`, async () => await stage.call('groups.edit', one, { templates: [...stage.group().templates, templates[0]] })]
      for (const [from, to] of [[0, 1], [1, 2]] as const) yield [`templates.rename to ${templates[to]}`, async () => await stage.says(true, 'templates.rename', templates[from], templates[to])]
    }
    for (const one of all) yield [`groups.delete of ${one}`, async () => await stage.says(true, 'groups.delete', one)]
  },

  async * templates (stage) {
    for (const one of templates) yield [`templates.create of ${one}`, async () => await stage.says(true, 'templates.create', one)]
    for (const one of templates.slice(0, 2)) yield [`templates.rename of ${one}`, async () => await stage.says(true, 'templates.rename', one, `${one}-renamed`)]
    yield ['templates.rename of what was renamed', async () => await stage.says(true, 'templates.rename', `${templates[0]}-renamed`, templates[0])]
    for (const one of [`${templates[1]}-renamed`, templates[0], templates[2]]) yield [`templates.delete of ${one}`, async () => await stage.says(true, 'templates.delete', one)]
  },

  async * players (stage, has) {
    if (has.join) yield * players(stage)
  },

  async * services (stage, has) {
    const { name } = await stage.withGroup({ maxOnlineService: 3 })
    if (!has.services) return
    for (const n of [1, 2, 3]) {
      yield [`services.start, for the ${n}. time`, async () => await stage.call('services.start', name)]
      yield [`the ${n}. service becomes ONLINE`, async () => await stage.until('all are ONLINE', async () => (await stage.services(name)).every(({ state }) => state === 'ONLINE'))]
    }
    const names = (await stage.services(name)).map(service => service.name)
    if (has.join) yield * players(stage, names.slice(0, 2))
    for (const one of names.slice(0, 2)) {
      yield [`services.stop of ${one}`, async () => await stage.says(true, 'services.stop', one)]
      yield [`${one} becomes OFFLINE`, async () => await stage.becomes(one, 'OFFLINE')]
    }
    for (const one of names.slice(0, 2)) {
      yield [`services.restart of ${one}`, async () => await stage.says(true, 'services.restart', one)]
      yield [`${one} becomes ONLINE`, async () => await stage.becomes(one, 'ONLINE')]
    }
    for (const one of names.slice(0, 2)) if (has.crash) yield [`the death of ${one}`, async () => { await stage.subject.crash?.(one) }]
    for (const one of names.slice(1)) if (has.force) yield [`services.kill of ${one}`, async () => await stage.says(true, 'services.kill', one)]
    yield ['groups.delete', async () => await stage.says(true, 'groups.delete', name)]
  }
}

/** Two who come to each service, and go again. */
async function * players (stage: Stage, names?: readonly string[]): AsyncGenerator<Step> {
  const on = names ?? [(await stage.online()).name, ...stage.runtime.groups.control === undefined ? [] : [(await stage.online()).name]]
  const leaving: Array<() => Promise<unknown>> = []
  for (const name of on) {
    for (const n of [1, 2, 3]) {
      yield [`the ${n}. player joins ${name}`, async () => {
        const { leave } = await stage.join(name)
        leaving.push(async () => await leave())
      }]
    }
  }
  for (const leave of leaving) yield ['a player leaves', leave]
}

/** The contract of `revision`, over many changes of one list. */
export const secondChanges = (list: List<unknown>, has: Has): RuntimeCases => async add => {
  const chain = chains[list.name]
  if (chain === undefined) return
  await add(`${list.name}.revision moves whenever the list would answer differently, with the second and third change of a kind as with the first`, async stage => {
    const source = list.of(stage.runtime)
    if (stage.runtime.groups.control === undefined && list.name !== 'players') return
    const seen = new Map<number | undefined, unknown>()
    let last: unknown
    const look = async (after: string): Promise<string> => {
      const revision = source?.revision
      const items = byValue(await stage.settled(source?.list(stage.options), `${list.name}.list`))
      // It changed meanwhile: then the list may be the old one or the new one.
      if (source?.revision === revision) {
        if (seen.has(revision)) same(items, seen.get(revision), `${list.name}.list changed with ${after}, and ${list.name}.revision stayed ${revision}`)
        else seen.set(revision, items)
      }
      return textOf(items)
    }
    last = await look('nothing')
    for await (const [what, run] of chain(stage, has)) {
      await run()
      for (let looks = 0; looks < LOOKS; looks++) {
        const now = await look(what)
        if (now !== last) {
          last = now
          break
        }
        await stage.pause()
      }
    }
  })
}

/** A list as a text; what is used moves by itself. */
const textOf = (items: unknown): string => JSON.stringify((items as ReadonlyArray<Partial<RuntimeService>>).map(({ memoryUsage, cpuUsage, ...item }) => item))
