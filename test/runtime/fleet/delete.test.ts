/** The deletion of a group that fails, or is cut short by the death of the core: it is done, or the group is there with all that its services have kept. */
import t from 'tap'
import type { Group } from '../../../types/resources.js'
import type { RuntimeService } from '../../../types/runtime.js'
import { createMachine, type Machine } from './machine.js'

t.setTimeout(600_000)

const call = { signal: new AbortController().signal }
/** Nobody waits for it. */
const later = (answer: unknown): void => { Promise.resolve(answer).catch(() => {}) }

const world: Group = {
  name: 'world',
  minMemory: 1,
  maxMemory: 1,
  minOnlineService: 2,
  maxOnlineService: 2,
  platform: { name: 'word', version: '1' },
  percentageToStartNewService: 0,
  properties: { static: true },
  templates: [],
  createdAt: 1
}

interface Opened {
  readonly machine: Machine
  readonly log: readonly string[]
  listed (): readonly string[]
  /** What the deletion answers, or why it fails. */
  remove (): { answer: unknown }
}

/** A machine with the group on it, and both services of it ONLINE. */
function open (latencyMs = 0, group = world): Opened {
  const log: string[] = []
  const machine = createMachine({ latencyMs, endedFirst: false }, {
    starting: () => {}, begun: () => {}, stopping: () => {}, ended: () => {}, logged: ({ message }) => { log.push(message) }, broken: what => { log.push(`BROKEN ${what}`) }
  })
  machine.groups.set('world', JSON.stringify(group))
  machine.open()
  machine.agenda.advance(10_000)
  return {
    machine,
    log,
    listed: () => (machine.core.fleet!.services.list(call) as readonly RuntimeService[]).map(({ name, state }) => `${name} ${state}`).sort(),
    remove: () => {
      const told = { answer: undefined as unknown }
      const answer = machine.agenda.act(() => machine.core.fleet!.groups.control.delete('world', call))
      Promise.resolve(answer).then(value => { told.answer = value }, (error: Error) => { told.answer = error.message })
      return told
    }
  }
}

const turn = async (): Promise<void> => await new Promise(resolve => { setImmediate(resolve) })
const all = ['world-1 ONLINE', 'world-2 ONLINE']

t.test('a group whose file cannot be removed is not deleted, and everything of it runs on', async t => {
  const { machine, log, listed, remove } = open()
  const tokens = machine.running().map(({ token }) => token)
  machine.setFault('locked', 60_000)
  const told = remove()
  machine.agenda.advance(10_000)
  await turn()
  t.equal(told.answer, 'EACCES: the machine')
  t.strictSame([listed(), machine.running().map(({ token }) => token), machine.kept], [all, tokens, []])
  t.equal(await machine.core.fleet!.groups.reasons.of('world', call), '2 services, as it should be')
  machine.agenda.advance(60_000)
  const again = remove()
  machine.agenda.advance(10_000)
  await turn()
  t.strictSame([again.answer, machine.running(), machine.groups.size, machine.kept], [true, [], 0, ['world-1', 'world-2']])
  t.notOk(log.some(line => line.startsWith('BROKEN')))
})

t.test('on a full disk a group can be deleted', async t => {
  const { machine, remove } = open()
  machine.setFault('full', 60_000)
  const told = remove()
  machine.agenda.advance(10_000)
  await turn()
  t.strictSame([told.answer, machine.running(), machine.groups.size, machine.kept], [true, [], 0, ['world-1', 'world-2']])
})

for (const next of ['edited', 'opened again'] as const) {
  t.test(`where that shows late, the group stops, and has all that its services have kept once it is ${next}`, async t => {
    const { machine, listed, remove } = open()
    machine.setFault('immutable', 20_000)
    const told = remove()
    machine.agenda.advance(10_000)
    await turn()
    t.equal(told.answer, 'EACCES: the machine')
    t.match(await machine.core.fleet!.groups.reasons.of('world', call), /^halted: its deletion failed/)
    t.strictSame([machine.running(), machine.groups.size, machine.kept], [[], 1, []])
    machine.agenda.advance(20_000)
    if (next === 'edited') machine.agenda.act(() => { later(machine.core.fleet!.groups.control.edit('world', { maxMemory: 2 }, call)) })
    else {
      machine.kill()
      machine.open()
    }
    machine.agenda.advance(10_000)
    t.strictSame([listed(), machine.kept], [all, []])
  })
}

t.test('a core that dies amid the deletion leaves the group with all of it, or nothing that a later group of that name finds', async t => {
  const outcomes = { there: 0, gone: 0 }
  for (let steps = 1; outcomes.gone < 12 && steps < 200; steps++) {
    const { machine, log, listed, remove } = open(6)
    machine.killAfter(steps)
    remove()
    machine.agenda.advance(20_000)
    const [isThere, kept] = [machine.groups.has('world'), [...machine.kept]]
    if (isThere) t.strictSame(kept, [], `after ${steps} steps nothing is put aside`)
    machine.kill()
    machine.open()
    machine.agenda.advance(1_000)
    if (isThere) {
      outcomes.there++
      machine.agenda.advance(60_000)
      t.strictSame([listed(), machine.kept], [all, []], `after ${steps} steps it goes on as it was`)
    } else {
      outcomes.gone++
      t.strictSame([listed(), machine.running(), [...new Set(machine.kept)].sort()], [[], [], ['world-1', 'world-2']], `after ${steps} steps it is gone, and all is put aside`)
      machine.agenda.act(() => { later(machine.core.fleet!.groups.control.create(world, call)) })
      machine.agenda.advance(30_000)
      t.strictSame(listed(), all, 'the names are free')
    }
    t.notOk(log.some(line => line.startsWith('BROKEN')))
  }
  t.ok(outcomes.there > 4 && outcomes.gone === 12, JSON.stringify(outcomes))
})

t.test('what cannot be put aside is tried again, and a group that is made meanwhile finds nothing of it', async t => {
  const { machine, log, listed, remove } = open()
  machine.setFault('unmovable', 30_000)
  const told = remove()
  machine.agenda.advance(2_000)
  await turn()
  t.strictSame([told.answer, machine.groups.size, machine.kept], [true, 0, []])
  t.ok(log.some(line => line.startsWith('world-1 has left files that cannot be put aside: EACCES')))
  machine.agenda.act(() => { later(machine.core.fleet!.groups.control.create(world, call)) })
  machine.agenda.advance(10_000)
  t.strictSame(listed(), ['world-3 ONLINE', 'world-4 ONLINE'])
  machine.kill()
  machine.open()
  machine.agenda.advance(5_000)
  t.strictSame(listed(), ['world-3 ONLINE', 'world-4 ONLINE'], 'for a later core as well')
  machine.agenda.advance(60_000)
  t.strictSame(machine.kept.sort(), ['world-1', 'world-2'])
})

t.test('a file that somebody writes while the last of the group is put aside is a group of its own', async t => {
  const { machine, listed, remove } = open(2_000)
  machine.agenda.advance(20_000)
  t.strictSame(listed(), all)
  const told = remove()
  for (let waited = 0; machine.groups.has('world') && waited < 60_000; waited += 100) machine.agenda.advance(100)
  machine.edit('world', JSON.stringify({ ...world, maxMemory: 7 }))
  machine.agenda.advance(60_000)
  await turn()
  t.equal(told.answer, true)
  machine.agenda.advance(60_000)
  t.match(machine.core.fleet!.groups.list(call), [{ name: 'world', maxMemory: 7 }])
  t.strictSame([listed(), machine.kept], [all, ['world-1', 'world-2']])
})
