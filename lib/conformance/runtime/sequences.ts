/** Random commands, one after the other: every answer and every list is compared with what the contract allows. */
import assert from 'node:assert/strict'
import type { GroupChanges } from '../../../types/resources.js'
import type { RuntimeUnderTest } from './under-test.js'
import { loadFastCheck, trySequences } from '../random.js'
import type { SequenceOptions } from '../sequence-options.js'
import { absent, show, type Case, type TestFunction } from '../suite.js'
import type { Findings } from './findings.js'
import { Scene } from './scene.js'
import { Stage } from './stage.js'

type FastCheck = typeof import('fast-check')

/** One command, with numbers in place of names. */
type Command =
  | { readonly do: 'command' | 'restart' | 'start' | 'stop' | 'start of a group' | 'delete' | 'delete and go on' | 'crash', readonly at: number }
  | { readonly do: 'create', readonly at: number, readonly minimum: number, readonly maximum: number, readonly template: number }
  | { readonly do: 'edit', readonly at: number, readonly changes: GroupChanges }
  | { readonly do: 'template' | 'drop', readonly at: number }
  | { readonly do: 'rename', readonly at: number, readonly to: number }
  | { readonly do: 'pause', readonly times: number }

interface Has {
  readonly services: boolean
  readonly templates: boolean
  readonly crash: boolean
}

const templateNames = ['Conformance-1', 'conformance-1', 'Conformance-2', 'Conformance-10']

/** The random sequences of a runtime that lets groups be made. */
export async function sequences (
  add: Case<Stage>, test: TestFunction, create: () => Promise<RuntimeUnderTest> | RuntimeUnderTest, has: Has, findings: Findings, atOnce: number, options: SequenceOptions = {}
): Promise<void> {
  const fc = await loadFastCheck()
  if (fc === undefined) return await absent(test, 'random sequences', 'fast-check is not installed')
  await add('any sequence of calls is answered and listed as the contract says', async () => {
    // One that was printed is tried by itself.
    const { seed = Date.now() % 1_000_000_000, path } = options
    await Promise.all(Array.from({ length: path === undefined ? atOnce : 1 }, async (_, n) => await trySequences<Command>(fc, commandsOf(fc, has), [{ do: 'create', at: 0, minimum: 1, maximum: 2, template: 0 }, { do: 'create', at: 2, minimum: 0, maximum: 3, template: 0 }], async commands => {
      const stage = new Stage(await create(), findings)
      try {
        await follow(stage, commands)
      } finally {
        await stage.close()
      }
    }, { ...options, seed: seed + n }, 15)))
  })
}

async function follow (stage: Stage, commands: readonly Command[]): Promise<void> {
  const scene = await Scene.of(stage)
  try {
    for (const command of commands) await run(scene, command)
    await scene.settle()
  } catch (error) {
    const after = `after these calls:\n${scene.calls.map((call, index) => `  ${index + 1}. ${call}`).join('\n')}`
    if (!(error instanceof assert.AssertionError)) throw new Error(`${show(error)}\n${after}`, { cause: error })
    throw new assert.AssertionError({ message: `${error.message}\n${after}` })
  } finally {
    scene.end()
  }
}

async function run (scene: Scene, command: Command): Promise<unknown> {
  const { stage, oracle } = scene
  const base = stage.group().name
  const names = [base, base.toUpperCase(), `${base}-b`, `${base}_c`]
  const pick = <T>(pool: readonly T[], index: number): T => pool[index % pool.length]!
  // Mostly what is there, now and then what is not.
  const group = (index: number): string => pick([...oracle.groups.keys(), ...index > 7 ? names : [names[0]!]], index)
  const services = async (index: number): Promise<string> => pick([...(await stage.services()).map(({ name }) => name), ...index > 7 ? ['no-such-service-1', '__proto__'] : []].concat(`${base}-1`), index)
  switch (command.do) {
    case 'command': return await scene.ask('services.command', await services(command.at), 'list')
    case 'restart': return await scene.ask('services.restart', await services(command.at))
    case 'start': return await scene.ask('services.start', await services(command.at))
    case 'stop': return await scene.ask('services.stop', await services(command.at))
    case 'start of a group': return await scene.ask('services.start', group(command.at))
    case 'create': return await scene.ask('groups.create', stage.group({
      name: pick(names, command.at),
      minOnlineService: Math.min(command.minimum, command.maximum),
      maxOnlineService: command.maximum,
      templates: [...stage.group().templates, ...[...oracle.templates].filter(name => templateNames.includes(name)).slice(0, command.template)]
    }))
    case 'edit': {
      const of = oracle.groups.get(group(command.at))
      const { minOnlineService = of?.minOnlineService ?? 0, maxOnlineService = of?.maxOnlineService ?? 0 } = command.changes
      // What is edited is in range together with the rest.
      const changes = minOnlineService > maxOnlineService ? { ...command.changes, minOnlineService: maxOnlineService } : command.changes
      return await scene.ask('groups.edit', group(command.at), changes)
    }
    case 'delete': return await scene.ask('groups.delete', group(command.at))
    case 'delete and go on': return oracle.groups.has(group(command.at)) ? await scene.begin(group(command.at)) : undefined
    case 'crash': {
      const online = (await stage.services()).filter(({ state }) => state === 'ONLINE')
      return online.length === 0 ? undefined : await scene.crash(pick(online, command.at).name)
    }
    case 'template': return await scene.ask('templates.create', pick(templateNames, command.at))
    case 'drop': return await scene.ask('templates.delete', pick(templateNames, command.at))
    case 'rename': return await scene.ask('templates.rename', pick(templateNames, command.at), pick(templateNames, command.to))
    case 'pause':
      for (let times = 0; times < command.times; times++) await stage.pause()
  }
}

function commandsOf (fc: FastCheck, has: Has): import('fast-check').Arbitrary<Command> {
  const at = fc.nat({ max: 9 })
  const fields = fc.record({
    minOnlineService: fc.nat({ max: 2 }),
    maxOnlineService: fc.nat({ max: 3 }),
    percentageToStartNewService: fc.nat({ max: 100 }),
    minMemory: fc.constantFrom(64, 128),
    maxMemory: fc.constantFrom(256, 512)
  }, { requiredKeys: [] })
  const one = (weight: number, name: Command['do'], more: object = { at }, isThere = true) =>
    ({ weight: isThere ? weight : 0, arbitrary: fc.record({ do: fc.constant(name), ...more }) as unknown as import('fast-check').Arbitrary<Command> })
  const all = [
    one(1, 'command', { at }, has.services),
    one(3, 'restart', { at }, has.services),
    one(3, 'start', { at }, has.services),
    one(4, 'stop', { at }, has.services),
    one(4, 'start of a group', { at }, has.services),
    one(3, 'create', { at, minimum: fc.nat({ max: 2 }), maximum: fc.nat({ max: 3 }), template: fc.nat({ max: 2 }) }),
    one(3, 'edit', { at, changes: fields }),
    one(1, 'delete'),
    one(2, 'delete and go on'),
    one(2, 'crash', { at }, has.crash),
    one(2, 'template', { at }, has.templates),
    one(1, 'drop', { at }, has.templates),
    one(2, 'rename', { at, to: at }, has.templates),
    one(3, 'pause', { times: fc.integer({ min: 1, max: 5 }) })
  ]
  return fc.oneof(...all.filter(({ weight }) => weight > 0))
}
