/** Sequences of everything that can be asked of a cloud and everything that can happen to it, and how one is tried. */
import fc from 'fast-check'
import type { Group } from '../../../types/resources.js'
import type { RuntimeService } from '../../../types/runtime.js'
import { createMachine, healthy, platforms, startingMost, startTimeoutMs, stopTimeoutMs, tickMs, type Fault, type World } from './machine.js'
import { createPromises, drainSeconds, groupOf, idleSeconds, second } from './promises.js'

/** `port`: which of two a group asks for; only group `a` does. */
type Shape = readonly [min: number, max: number, percentage: number, isStatic: boolean, port?: number | undefined]
type Verb = 'start' | 'stop' | 'kill' | 'restart'

export type Step =
  | readonly ['create', group: string, platform: string, shape: Shape]
  | readonly ['edit', group: string, shape: Shape]
  /** By hand; `undefined`: it is damaged. */
  | readonly ['write', group: string, shape: Shape | undefined]
  /** Somebody takes its file away. */
  | readonly ['lose', group: string]
  | readonly ['delete', group: string]
  | readonly ['roll', group: string]
  | readonly [verb: Verb, name: string]
  | readonly ['command', name: string]
  | readonly ['template', 'create' | 'delete', name: string]
  | readonly ['rename', name: string, newName: string]
  | readonly ['players', name: string, count: number]
  | readonly ['die', name: string]
  | readonly ['behave', group: string, readyMs: number, dieMs: number, stopMs: number]
  | readonly ['fault', fault: Fault, ms: number]
  /** Somebody else listens on the ports of the next services. */
  | readonly ['stranger', at: number]
  | readonly ['clock', ms: number]
  /** The core dies after so many steps, and is opened again so much later. */
  | readonly ['crash', steps: number, downMs: number]
  | readonly ['close', services: 'keep' | 'stop']
  | readonly ['pass', ms: number]

export interface Sequence {
  readonly world: World
  readonly steps: readonly Step[]
}

const call = { signal: new AbortController().signal }
const group = (name: string, platform: string, [min, max, percentage, isStatic, port]: Shape, templates: readonly string[]): Group => ({
  name,
  minMemory: 1,
  maxMemory: 1,
  minOnlineService: min,
  maxOnlineService: max,
  platform: { name: platform, version: '1' },
  percentageToStartNewService: percentage,
  properties: { static: isStatic, maxPlayers: 4, idleSeconds, drainSeconds, ...(port === undefined || name !== 'a' ? {} : { port: firstPort + port }) },
  templates: [...templates],
  createdAt: 1
})

/** Beyond the range, so that only group `a` ever has it and those behind it. */
const firstPort = 31_000
const names = fc.constantFrom('a', 'b')
const service = fc.constantFrom('a-1', 'a-2', 'a-3', 'b-1', 'b-2')
const shape: fc.Arbitrary<Shape> = fc.tuple(fc.constantFrom([0, 1], [1, 1], [1, 2], [2, 2], [0, 3], [1, 3], [3, 3], [2, 4]), fc.constantFrom(0, 0, 50, 100), fc.boolean(), fc.constantFrom(undefined, undefined, undefined, 0, 1))
  .map(([[min, max], percentage, isStatic, port]) => [min as number, max as number, percentage, isStatic, port] as const)
const templateName = fc.constantFrom('x', 'y')
const length = fc.constantFrom(1, 20, 300, 1_100, 4_000, 12_000, 35_000, 70_000)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('create' as const), names, fc.constantFrom('word', 'ping', 'ping', 'mute', 'gate'), shape) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('edit' as const), names, shape) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('write' as const), names, fc.option(shape, { nil: undefined })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('lose' as const), names) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('delete' as const), names) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('roll' as const), names) },
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom<Verb[]>('start', 'stop', 'kill', 'restart'), service) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('start' as const), names) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('command' as const), service) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('template' as const), fc.constantFrom('create' as const, 'delete' as const), templateName) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('rename' as const), templateName, templateName) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('players' as const), service, fc.constantFrom(0, 1, 2, 4)) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('die' as const), service) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('behave' as const), names, fc.constantFrom(0, 1_000, 8_000, Infinity), fc.constantFrom(Infinity, Infinity, 100, 2_000, 9_000, 25_000), fc.constantFrom(0, 200, 4_000, Infinity)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('fault' as const), fc.constantFrom<Fault[]>('full', 'files', 'definition', 'stops', 'slow', 'away'), length) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('stranger' as const), fc.nat(3)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('clock' as const), fc.constantFrom(-86_400_000, -3_600_000, -5_000, 5_000, 3_600_000, 86_400_000)) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('crash' as const), fc.nat(25), fc.constantFrom(0, 50, 5_000, 90_000)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('close' as const), fc.constantFrom('keep' as const, 'stop' as const)) },
  { weight: 12, arbitrary: fc.tuple(fc.constant('pass' as const), length) }
)
export const sequences: fc.Arbitrary<Sequence> = fc.record({
  // A range in which there is just room for all while nobody else is in it.
  world: fc.record({ latencyMs: fc.constantFrom(0, 6, 40), endedFirst: fc.boolean(), ports: fc.constantFrom(40, 8) }),
  steps: fc.array(step, { minLength: 4, maxLength: 40, size: 'max' }).map(steps => [['create', 'a', 'ping', [1, 3, 50, false]], ...steps])
})

const knows = ({ platform }: Group): boolean => platform.name !== 'mute'
const scales = (group: Group): boolean => knows(group) && group.platform.name !== 'gate'
/** The last of the sequence: longer than any pause, with a slow death and the restart of a group in it. */
const healing = 400 * second

/** Tries one; throws what is against a promise, with what was logged before it. */
export async function tryOut ({ world, steps }: Sequence): Promise<void> {
  const wrong: string[] = []
  const log: string[] = []
  /** How much has happened: where nothing has, nothing has to be looked at. */
  let happened = 0
  const machine = createMachine(world, {
    starting: ({ name, values }) => { promises.starting(name, values['group'] as string) },
    begun: (name, outcome) => {
      happened++
      promises.begun(name, outcome)
    },
    stopping: program => { promises.stopping(program) },
    ended: () => { happened++ },
    logged: entry => {
      happened++
      log.push(`${machine.agenda.elapsed()} ${entry.message}`)
      if (/cannot go from|TypeError|is not a function|of undefined/.test(entry.message)) broken(entry.message)
      if (entry.message.includes('cannot be noted down')) promises.unnoted(entry['service'] as string)
      if (entry.message.endsWith('its file was changed by hand')) promises.look(entry['group'] as string)
      // Also one that had not come to its engine yet.
      if (entry.message.endsWith(' was called off while it was started')) promises.begun(entry['service'] as string, 'aborted')
      if (entry['state'] !== undefined) promises.moved(entry['service'] as string, entry['from'] as never, entry['state'] as never, entry.message.endsWith(' runs already'))
    },
    broken
  })
  const { agenda } = machine
  const promises = createPromises({ now: () => agenda.elapsed(), startingMost, startTimeoutMs, stopTimeoutMs, running: machine.running, broken })
  let [pending, downMs, seen, listed] = [new Set<string>(), 0, '', [] as readonly RuntimeService[]]

  /** Group files that were written by hand, and not seen yet. */
  const byHand = new Map<string, { readonly next: Group, readonly done: (done: boolean) => void }>()

  /** Groups the restart of which was asked for: it is told from the answer on. */
  const unanswered = new Set<string>()

  function broken (what: string): void { wrong.push(what) }

  function watch (): void {
    const { fleet, alive } = machine.core
    if (fleet === undefined || !alive) return
    const [services, groups] = [fleet.services.list(call) as RuntimeService[], fleet.groups.list(call) as Group[]]
    promises.watch({ groups, services, running: machine.running() })
    for (const { name } of groups) if (promises.orders.get(name)?.roll !== undefined && !unanswered.has(name) && fleet.groups.restarts.progressOf(name, call) === undefined) promises.rolled(name)
    seen = stamp()
    listed = services
  }

  const stamp = (): string => `${happened} ${machine.core.fleet?.services.revision} ${machine.core.fleet?.groups.revision}`

  function lookAgain (): void {
    if (stamp() !== seen) return watch()
    const services = (machine.core.fleet?.services.list(call) ?? []) as RuntimeService[]
    if (services.length !== listed.length || services.some((one, at) => one !== listed[at] && JSON.stringify(one) !== JSON.stringify(listed[at]))) broken(`the revision of the services stood still: ${JSON.stringify(services)}`)
  }

  const turn = async (): Promise<void> => await new Promise(resolve => { setImmediate(resolve) })
  /** What is asked from outside is answered by promises; nothing else needs a turn. */
  const flush = async (): Promise<void> => {
    if (pending.size > 0) await turn()
  }

  async function pass (ms: number, chunk = second): Promise<void> {
    for (let left = ms; left > 0; left -= chunk) {
      agenda.advance(Math.min(left, chunk))
      await flush()
      if (machine.core.alive) lookAgain()
      else await reopen()
      if (wrong.length > 0) return
    }
  }

  async function reopen (): Promise<void> {
    agenda.advance(downMs)
    for (let tries = 0; tries < 900 && wrong.length === 0; tries++) {
      unanswered.clear()
      promises.reopening()
      pending = new Set()
      log.push(`${agenda.elapsed()} a core is opened`)
      machine.open()
      const { core } = machine
      for (let waits = 0; core.alive && core.fleet === undefined && core.failed === undefined && waits < 2_000; waits++) agenda.advance(50)
      if (core.fleet !== undefined && core.alive) {
        byHand.clear()
        promises.reopened(core.fleet.groups.list(call) as Group[], core.fleet.services.list(call) as RuntimeService[])
        return watch()
      }
      if (core.failed !== undefined) log.push(`${agenda.elapsed()} not opened: ${core.failed.message}`)
      machine.kill()
      agenda.advance(second)
    }
    broken('no core can be opened')
  }

  /** Asks something; what is answered while this core lives is told. */
  function ask (what: string, verb: () => unknown, answered: (answer: unknown) => void, failed: (error: unknown) => void = () => {}): void {
    const { core } = machine
    let answer: unknown
    try {
      answer = agenda.act(verb)
    } catch (error) {
      return failed(error)
    }
    if (!core.alive) return
    if (typeof (answer as Promise<unknown>)?.then !== 'function') return answered(answer)
    const key = `${what} ${agenda.elapsed()} ${pending.size}`
    pending.add(key)
    const settle = (then: (value: unknown) => void) => (value: unknown): void => {
      pending.delete(key)
      if (core === machine.core && core.alive) then(value)
    }
    ;(answer as Promise<unknown>).then(settle(answered), settle(failed))
  }

  const wanted = (name: string): Group | undefined => {
    const order = promises.orders.get(name)
    return order?.maybe.findLast(one => one !== undefined) ?? order?.sure
  }
  const find = (name: string) => machine.running().find(program => program.name === name)
  const calm = (): boolean => machine.behaviours.size === 0 && machine.strangers.size === 0 && !(['full', 'files', 'definition', 'stops', 'slow', 'away'] as const).some(machine.isAt)

  function take (step: Step): unknown {
    const { fleet } = machine.core
    if (fleet === undefined) return
    switch (step[0]) {
      case 'create': {
        const [, name, platform, shape] = step
        const made = group(name, platform, shape, [])
        const done = promises.order(name, made)
        return ask('create', () => fleet.groups.control.create(made, call), answer => { done(answer === true) }, () => { done(false) })
      }
      case 'edit': {
        const [, name, shape] = step
        const { properties, minOnlineService, maxOnlineService, percentageToStartNewService } = group(name, '', shape, [])
        const before = wanted(name)
        const next = before === undefined ? undefined : { ...before, properties, minOnlineService, maxOnlineService, percentageToStartNewService }
        const done = next === undefined ? () => {} : promises.order(name, next)
        return ask('edit', () => fleet.groups.control.edit(name, { properties, minOnlineService, maxOnlineService, percentageToStartNewService }, call), answer => {
          // What was written by hand was read before, and is in it.
          const isDone = answer !== false && answer !== 'damaged'
          if (isDone) overwrite(name)
          done(isDone)
        }, () => { done(false) })
      }
      case 'write': {
        const [, name, shape] = step
        const order = promises.orders.get(name)
        if (order?.sure === undefined || order.maybe.length > 0 || !machine.groups.has(name)) return
        if (shape === undefined) {
          order.spoilt = true
          return machine.edit(name, '{"name":')
        }
        const next = { ...group(name, order.sure.platform.name, shape, []), templates: (JSON.parse(JSON.stringify(order.sure)) as Group).templates }
        const done = promises.order(name, next)
        machine.edit(name, `${JSON.stringify(next, null, 2)}\n`)
        return byHand.set(name, { next, done })
      }
      case 'lose': {
        const order = promises.orders.get(step[1])
        if (order?.sure === undefined || order.maybe.length > 0 || !machine.groups.has(step[1])) return
        order.lost = true
        return machine.lose(step[1])
      }
      case 'delete': {
        const done = promises.order(step[1], undefined)
        return ask('delete', () => fleet.groups.control.delete(step[1], call), answer => {
          overwrite(step[1])
          done(answer === true)
        }, () => { done(false) })
      }
      case 'roll': {
        const goOn = promises.roll(step[1], calm())
        const refused = promises.resume(step[1])
        const answered = (isAccepted: boolean): void => {
          unanswered.delete(step[1])
          if (isAccepted) return
          refused()
          goOn()
        }
        unanswered.add(step[1])
        return ask('roll', () => fleet.groups.restarts.restart(step[1], call), answer => { answered(answer === true) }, () => { answered(false) })
      }
      case 'start': case 'stop': case 'kill': case 'restart': {
        const [verb, name] = step
        const control = verb === 'kill' ? fleet.services.force.kill : fleet.services.control[verb]
        const accepted = promises.ask(name, verb)
        const refused = verb === 'start' || verb === 'restart' ? promises.resume(groupOf(name)) : () => {}
        return ask(verb, () => control(name, call), answer => {
          const started = typeof answer === 'object' ? (answer as { name: string }).name : name
          if (started !== name) promises.ask(started, 'start')
          if (answer === true && verb === 'restart') accepted()
          if (answer !== true && typeof answer !== 'object') refused()
        }, refused)
      }
      case 'command': return ask('command', () => fleet.services.control.command(step[1], 'list', call), () => {})
      case 'template': return ask('template', () => fleet.templates[step[1]](step[2], call), () => {})
      case 'rename': return ask('rename', () => fleet.templates.rename(step[1], step[2], call), () => {})
    }
  }

  /** What happens without anybody asking the core. */
  async function happen (step: Step): Promise<void> {
    switch (step[0]) {
      case 'players': {
        const program = find(step[1]) ?? machine.running().find(({ ready }) => ready)
        promises.unrest()
        return program?.ready === true ? machine.populate(program, Array.from({ length: step[2] }, (_, at) => `p${at}${program.name.replace('-', '')}`)) : undefined
      }
      case 'die': return agenda.act(() => find(step[1])?.die(1))
      case 'behave': {
        const [, name, readyMs, dieMs, stopMs] = step
        promises.unrest()
        machine.behaviours.set(name, { readyMs, dieMs, stopMs })
        return
      }
      case 'fault':
        promises.unrest()
        return machine.setFault(step[1], step[2])
      case 'stranger': {
        promises.unrest()
        const port = 30_000 + step[1]
        if (!machine.running().some(program => program.port === port)) machine.strangers.add(port)
        return
      }
      case 'clock': return machine.setClock(step[1])
      case 'crash':
        downMs = step[2]
        return step[1] === 0 ? machine.kill() : machine.killAfter(step[1])
      case 'close': {
        const { core } = machine
        const couldStop = calm()
        const closing = { over: false }
        promises.unrest()
        if (step[1] === 'stop') promises.close()
        agenda.act(() => { core.fleet?.close({ services: step[1] }).catch(() => {}).finally(() => { closing.over = true }) })
        for (let waited = 0; core.alive && !closing.over && waited < 60 * second; waited += 50) {
          agenda.advance(50)
          await turn()
        }
        if (core.alive && !closing.over) broken('a core does not close')
        if (core.alive && step[1] === 'stop' && couldStop && machine.running().length > 0) broken('a core has closed, and services run')
        downMs = 0
        return machine.kill()
      }
      case 'pass': return await pass(step[1])
    }
  }

  function overwrite (name: string): void {
    byHand.get(name)?.done(false)
    byHand.delete(name)
  }

  function seeFiles (): void {
    for (const [name, { next, done }] of byHand) {
      const { fleet, alive } = machine.core
      const shown = alive ? (fleet?.groups.list(call) as Group[] | undefined)?.find(one => one.name === name) : undefined
      const order = promises.orders.get(name)
      if (shown === undefined || order === undefined || JSON.stringify({ ...shown, templates: [] }) !== JSON.stringify({ ...next, templates: [] })) continue
      byHand.delete(name)
      done(true)
    }
  }

  function check (step: Step | 'end'): void {
    if (wrong.length === 0) return
    throw new Error(`${wrong.join('; ')}\n  at ${JSON.stringify(step)}, ${agenda.elapsed()} ms\n  ${log.slice(-40).join('\n  ')}`)
  }

  await reopen()
  for (const step of steps) {
    log.push(`${agenda.elapsed()} > ${JSON.stringify(step)}`)
    take(step)
    await happen(step)
    await flush()
    if (!machine.core.alive) await reopen()
    seeFiles()
    watch()
    check(step)
  }
  await heal()
  check('end')

  async function heal (): Promise<void> {
    log.push(`${agenda.elapsed()} > everything is well`)
    machine.heal()
    promises.unrest()
    if (!machine.core.alive) await reopen()
    await pass(70 * second)
    seeFiles()
    const { fleet } = machine.core
    for (const [name, order] of promises.orders) {
      // What somebody has damaged, somebody has to mend; what could not be deleted is deleted now.
      if (order.spoilt && order.sure !== undefined) machine.edit(name, `${JSON.stringify(order.sure, null, 2)}\n`)
      if (order.halted && fleet !== undefined) take(['delete', name])
    }
    await pass(2 * tickMs)
    if (wrong.length === 0 && fleet !== undefined) promises.back(fleet.services.list(call) as RuntimeService[])
    for (const [name, order] of promises.orders) {
      order.spoilt = false
      // What has died waits for its port until the others have gone on to theirs.
      if (order.sure?.properties['port'] !== undefined) take(['roll', name])
    }
    await pass(healing, 10 * second)
    seeFiles()
    if (pending.size > 0) broken(`not answered: ${[...pending].join()}`)
    if (wrong.length > 0 || fleet === undefined) return
    const settled = (mayPause: boolean): Group[] => {
      const [services, groups] = [fleet.services.list(call) as RuntimeService[], fleet.groups.list(call) as Group[]]
      promises.settled({ groups, services, running: machine.running() }, mayPause, scales, knows)
      for (const { name } of groups) if (fleet.groups.restarts.progressOf(name, call) !== undefined) broken(`the restart of ${name} does not end`)
      for (const { name, groupName, port, state } of services) {
        const first = groups.find(one => one.name === groupName)?.properties['port']
        if (state === 'ONLINE' && first !== undefined && port !== Number(first) + Number(name.slice(name.indexOf('-') + 1)) - 1) broken(`${name} is on port ${port}, and its group asks for ${first}`)
      }
      return groups
    }
    // What has given up tries again when somebody has looked at its group.
    for (const { name, minOnlineService, maxOnlineService, percentageToStartNewService, properties } of settled(true)) {
      const port = properties['port'] as number | undefined
      take(['edit', name, [minOnlineService, maxOnlineService, percentageToStartNewService, properties['static'] === true, port === undefined ? undefined : port - firstPort]])
    }
    await pass(70 * second, 10 * second)
    const groups = settled(false)
    let known: readonly string[] = []
    ask('templates', () => fleet.templates.list(call), answer => { known = (answer as Array<{ name: string }>).map(({ name }) => name) })
    await pass(second)
    const lost = groups.flatMap(({ templates }) => templates).find(name => !known.includes(name))
    if (lost !== undefined) broken(`a group names ${lost}, and there is no such template`)
  }
}

export { groupOf, healthy, platforms }
