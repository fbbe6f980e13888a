/** What the figures and texts of a service say, in which unit, and where they come from. */
import assert from 'node:assert/strict'
import type { StateChange } from '../../../types/runtime.js'
import { same, show } from '../suite.js'
import { soon } from './furnished.js'
import * as shapes from './shapes.js'
import type { Stage, RuntimeCases } from './stage.js'

/** How far a time may be from what a clock said, in milliseconds: other machines and clocks are not exact either. */
const SLACK_MS = 2_000
/** In 1973: what is less is in seconds. */
const LEAST_MS = 1e11

/** What lies so far apart has two times. */
const APART_MS = 5

/** Fails where a time is none, or lies outside of what the clock has said before and after. */
function isTime (stage: Stage, time: unknown, from: number | undefined, what: string): void {
  const to = stage.now
  assert.ok(typeof time === 'number' && time >= LEAST_MS, `${what} must be in milliseconds since the Unix epoch, and is ${show(time)}`)
  if (from === undefined || to === undefined) return
  assert.ok(time >= from - SLACK_MS && time <= to + SLACK_MS, `${what} must be a time from ${from} to ${to}, as the clock says, and is ${show(time)}`)
}

/** Lets some of the runtime's time pass. */
async function moment (stage: Stage): Promise<void> {
  const began = stage.now ?? 0
  await stage.until('time has passed', async () => {
    await stage.pause()
    return stage.now === undefined || stage.now - began > (stage.subject.pause === undefined ? 5 : 1_000)
  })
}

export const figures = (has: { readonly services: boolean, readonly groups: boolean, readonly states: boolean, readonly templates: boolean }): RuntimeCases => async add => {
  if (has.services && has.groups) {
    await add('services.list: createdAt is when the service was started first, in milliseconds', async stage => {
      const before = stage.now
      const { name, createdAt } = await stage.online()
      isTime(stage, createdAt, before, `the createdAt of ${name}`)
    })

    await add('metrics.sample answers percent of the whole machine and MB while services run', async stage => {
      await stage.online()
      for (let samples = 0; samples < 3; samples++) {
        shapes.sample(await stage.settled(stage.runtime.metrics.sample(stage.options), 'metrics.sample'), 'sample')
        await stage.pause()
      }
    })

    await add('services.list shows what the group says: its memory, its type, its properties as strings, its templates', async stage => {
      const templates = has.templates ? ['Conformance-1'] : []
      for (const template of templates) await stage.says(true, 'templates.create', template)
      const given = stage.group()
      const group = await stage.withGroup({ minMemory: 96, maxMemory: 160, properties: { ...given.properties, fallback: true, n: 1, text: 'a b' }, templates: [...given.templates, ...templates] })
      const service = await stage.online()
      const { type } = (await stage.settled(stage.runtime.platforms.list(stage.options))).find(({ name }) => name === group.platform.name) ?? {}
      same({ minMemory: service.minMemory, maxMemory: service.maxMemory, type: service.type, groupName: service.groupName },
        { minMemory: 96, maxMemory: 160, type, groupName: group.name }, `${service.name} must show the memory and the type of its group`)
      const properties = Object.fromEntries(Object.entries(group.properties).map(([key, value]) => [key, String(value)]))
      same(Object.fromEntries(Object.keys(properties).map(key => [key, service.properties[key]])), properties, `${service.name} must show the properties of its group as strings`)
      const names = service.templates.map(({ name }) => name)
      same(group.templates.filter(name => !names.includes(name)), [], `${service.name} must show the templates of its group; it shows ${show(names)}`)
    })

    await add('groups.edit: memory, properties and templates reach a service with its next start at the latest', async stage => {
      const group = await stage.withGroup({ minMemory: 96, maxMemory: 160 })
      const { name } = await stage.online()
      const added = has.templates ? ['Conformance-1'] : []
      for (const template of added) await stage.says(true, 'templates.create', template)
      await stage.call('groups.edit', group.name, {
        minMemory: 112, maxMemory: 224, properties: { ...group.properties, edited: 'so' }, templates: [...group.templates, ...added]
      })
      await stage.says(true, 'services.stop', name)
      await stage.becomes(name, 'OFFLINE')
      await stage.call('services.start', name)
      const { minMemory, maxMemory, properties, templates } = await stage.becomes(name, 'ONLINE')
      same({ minMemory, maxMemory, edited: properties['edited'] }, { minMemory: 112, maxMemory: 224, edited: 'so' }, `${name} was started after the edit`)
      const names = templates.map(({ name }) => name)
      same(added.filter(template => !names.includes(template)), [], `${name} was started after its group got a template; it shows ${show(names)}`)
    })
  }

  if (has.states) {
    await add('states.watch: at is when it happened, in milliseconds', async stage => {
      const changes: StateChange[] = []
      const watching = new AbortController()
      const before = stage.now
      stage.runtime.states?.watch(change => { changes.push(change) }, watching)
      const { name } = await stage.online()
      const own = () => changes.filter(({ serviceName }) => serviceName === name)
      for (const [verb, state] of [[undefined, 'ONLINE'], ['stop', 'OFFLINE'], ['start', 'ONLINE']] as const) {
        // One that was there before is ONLINE already.
        if (verb === undefined && stage.runtime.groups.control === undefined) continue
        const known = own().at(-1)
        if (verb !== undefined) {
          await moment(stage)
          await stage.call(`services.${verb}`, name)
        }
        const seen: number[] = []
        await soon(stage, `states.watch tells that ${name} is ${state}`, async () => {
          if (verb === 'start' && stage.now !== undefined && (await stage.find(name))?.state === 'STARTING') seen.push(stage.now)
          return own().at(-1)?.state === state && (verb === undefined || own().at(-1) !== known)
        })
        for (const [n, { at }] of own().entries()) assert.ok(at >= (own()[n - 1]?.at ?? at), `what happens later has no earlier at: ${show(own())}`)
        // A clock of whole seconds may have stood still.
        const { at } = own().at(-1)!
        const begun = own().findLast(change => change.state === 'STARTING')
        const wasStarting = seen.length > 1 && seen.at(-1)! - seen[0]! > APART_MS
        assert.ok(!wasStarting || begun?.at !== at || at % 1_000 === 0, `${name} was listed as STARTING for ${seen.at(-1)! - seen[0]!} ms at least, and its changes to that and to ONLINE have the same at: ${show(own())}`)
        if (verb !== undefined && known !== undefined && (at % 1_000 !== 0 || stage.subject.pause !== undefined)) assert.ok(at > known.at, `${name} was ${known.state} for a while before services.${verb}, and all of its changes have the same at: ${show(own())}`)
      }
      for (const change of changes) isTime(stage, change.at, before, `the at of ${show(change)}`)
      watching.abort()
    })
  }

  await add('metrics.sample: the uptime is in milliseconds', async stage => {
    const uptime = async () => (await stage.settled(stage.runtime.metrics.sample(stage.options), 'metrics.sample')).uptime
    const clock = () => stage.now ?? performance.now()
    const [from, before] = [clock(), await uptime()]
    if (stage.now === undefined) return
    let after = before
    // It may be measured now and then only.
    await stage.until('the uptime has grown', async () => (after = await uptime()) > before && clock() - from >= 200, () => show(after))
    const to = clock()
    const [passed, grown] = [to - from, after - before]
    // Seconds would grow by a thousandth of it.
    assert.ok(grown >= passed / 20 && grown <= passed * 20 + SLACK_MS, `the uptime must grow by milliseconds: in ${passed} ms it went from ${before} to ${after}`)
  })
}
