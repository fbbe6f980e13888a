/** Whatever stands in a group's file: the group that is in force, or salvaged, is one that the interface shows. GROUP_FILES_SEED has a run again. */
import fc from 'fast-check'
import t from 'tap'
import { createBudget, groupShape, serviceShape } from '../../../lib/cloud/shapes.js'
import { createEmitter, type Change } from '../../../lib/runtime/fleet/changes.js'
import type { TextStore } from '../../../lib/runtime/fleet/content/text-store.js'
import { readGroup } from '../../../lib/runtime/fleet/groups/group-definition.js'
import { createGroups } from '../../../lib/runtime/fleet/groups/groups.js'
import type { LogEntry } from '../../../lib/runtime/fleet/options.js'
import type { Parts } from '../../../lib/runtime/fleet/services/parts.js'
import { view } from '../../../lib/runtime/fleet/services/view.js'
import { run, wait } from '../../../lib/runtime/fleet/task.js'
import type { Group } from '../../../types/resources.js'
import type { RuntimeService } from '../../../types/runtime.js'
import { newSeed, rounds } from '../../fixtures/rounds.js'

t.setTimeout(600_000)

const seed = Number(process.env['GROUP_FILES_SEED'] ?? newSeed())
const numRuns = rounds(500, 30_000)

const lobby: Group = {
  name: 'lobby',
  minMemory: 64,
  maxMemory: 128,
  minOnlineService: 1,
  maxOnlineService: 3,
  platform: { name: 'limbo', version: 'latest' },
  percentageToStartNewService: 0,
  properties: { fallback: true },
  templates: ['plain'],
  createdAt: 1_760_000_000_000
}

/** Whatever a group names is there. */
const everything = {
  platforms: { get: () => ({ type: 'SERVER', versions: { includes: () => true } }), refresh: () => {} }, templates: { has: () => true, refresh: () => {} }
} as unknown as Parts['content']

/** A text store of one file, which somebody writes by hand. */
function withFile (text: string) {
  const files = new Map([['lobby', text]])
  const store: TextStore = {
    pathOf: name => `${name}.json`,
    readAll: () => new Map(files),
    readChanged: () => new Map(files),
    write: () => false,
    remove: () => {},
    checkRemoval: () => {},
    mayHaveChanged: () => true,
    close: () => {}
  }
  const log: LogEntry[] = []
  const groups = createGroups({ store, changes: createEmitter<Change>(), content: everything, log: entry => { log.push(entry) }, hasServices: () => false })
  run(groups.load(function * () { return yield * wait(new Set<string>()) }))
  return {
    log,
    entry: () => groups.get('lobby'),
    write: (next: string) => {
      files.set('lobby', next)
      run(groups.refresh())
    }
  }
}

const parts = { engine: { host: '127.0.0.1' }, content: { platforms: { get: () => undefined }, templates: { names: ['EVERY', 'EVERY_SERVER', 'EVERY_FALLBACK'], pathOf: (name: string) => name } } } as unknown as Parts

/** A service of it that has not been started yet, as it is listed. */
const serviceOf = (group: Group): RuntimeService => view({
  name: 'lobby-1', port: 25_565, createdAt: 1, state: 'OFFLINE', owner: { group, barred: false }, life: undefined, recipe: undefined, record: undefined
}, parts)

/** What the interface would leave out. */
function unshown (group: Group): string | undefined {
  for (const [shape, given] of [[groupShape, group], [serviceShape, serviceOf(group)]] as const) {
    const first = shape.check().Errors(shape.copy(given as never, createBudget())).First()
    if (first !== undefined) return `${shape.name}${first.path}`
  }
  return undefined
}

/** Nothing stringifies what is this deep. */
const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
/** Texts of JSON values; numbers as somebody may write them, and not only as JavaScript does. */
const value: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('-0', '0', '1', '1.5', '-1', '1e2', '1e18', '1e21', '1e308', '1e400', '-1e400', '9007199254740991', '9007199254740992', '9007199254740993', '8640000000000000', '8640000000000001', '1795417937097.123', '1795417937097000000', '5e-324') },
  { weight: 2, arbitrary: fc.oneof(fc.integer(), fc.maxSafeNat(), fc.double({ noNaN: true, noDefaultInfinity: true })).map(String) },
  { weight: 2, arbitrary: fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'lobby', 'plain', 'true', '1e400', '\ud800', '\0', '__proto__', 'x'.repeat(5_000))).map(one => JSON.stringify(one)) },
  { weight: 1, arbitrary: fc.constantFrom('null', 'true', 'false', '[]', '{}', '["plain","plain"]', '["a b"]', '{"toString":1,"valueOf":2}', '{"length":-1}', '[1]', deep, `{"a":${deep}}`) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }).map(one => JSON.stringify(one)) }
)
const key = fc.oneof(fc.constantFrom('name', 'version', 'port', 'fallback', 'static', 'host', 'drainSeconds', '__proto__', 'constructor', 'toString', '', '\n'), fc.string({ unit: 'binary' })).map(one => JSON.stringify(one))
const object = fc.array(fc.tuple(key, value), { maxLength: 5 }).map(fields => `{${fields.map(([name, one]) => `${name}:${one}`).join()}}`)
const right = (field: string): fc.Arbitrary<string> => fc.constant(JSON.stringify(lobby[field as keyof Group]))
const field = (name: string): fc.Arbitrary<string> => fc.oneof({ weight: 20, arbitrary: right(name) }, { weight: 3, arbitrary: value }, { weight: 1, arbitrary: object }, { weight: 1, arbitrary: fc.constant('') })
const names = Object.keys(lobby)
const file: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: fc.tuple(...names.map(field)).map(values => `{${values.flatMap((one, at) => one === '' ? [] : [`"${names[at]}":${one}`]).join()}}`) },
  { weight: 1, arbitrary: value },
  { weight: 1, arbitrary: object },
  { weight: 1, arbitrary: fc.string() }
)

t.test('whatever is in a group\'s file, the group in force or salvaged is listed, and so are its services', async t => {
  t.comment(`GROUP_FILES_SEED=${seed}`)
  const counts = { taken: 0, refused: 0, salvaged: 0 }
  fc.assert(fc.property(file, text => {
    const atLoad = withFile(text)
    const entry = atLoad.entry()
    if (entry === undefined) throw new Error('It is not listed')
    const later = withFile(JSON.stringify(lobby))
    later.write(text)
    const changed = later.entry()
    if (changed === undefined) throw new Error('It is not listed any more')
    for (const [when, { group }] of [['at load', entry], ['changed by hand', changed]] as const) {
      const field = unshown(group)
      if (field !== undefined) throw new Error(`${when}: ${field} is not shown`)
    }
    if (changed.fault === undefined) counts.taken++
    else {
      counts.refused++
      if (JSON.stringify(changed.group) !== JSON.stringify(lobby)) throw new Error('What was right before is in force no more')
      if (later.log.filter(({ level, field }) => level === 'error' && typeof field === 'string').length === 0) throw new Error('No field is told')
    }
    if (entry.damaged) counts.salvaged++
  }), { seed, numRuns })
  t.ok(Object.values(counts).every(count => count > numRuns / 50), JSON.stringify(counts))
})

t.test('what the interface would not show is refused by field', async t => {
  const wrong: ReadonlyArray<readonly [field: keyof Group | `properties.${string}`, text: string, problem: RegExp]> = [
    ['createdAt', '1795417937097.123', /whole milliseconds since 1970, at most 8640000000000000/],
    ['createdAt', '1795417937097000000', /whole milliseconds since 1970/],
    ['maxOnlineService', '1e18', /at most 9007199254740991/],
    ['maxMemory', '1e18', /at most 9007199254740991/],
    ['minMemory', '{"toString":1,"valueOf":2}', /whole number/],
    ['templates', `[${Array(99_991).fill('"a"').join()}]`, /at most 99990 names/],
    ['templates', deep, /list of template names/],
    // Both are shown as é.
    ['templates', '["plain", "caf\u00e9"]', /entry 2 has the character U\+00E9, and a template's name has none but A-Z, a-z, 0-9, _ and -$/],
    ['templates', '["cafe\u0301"]', /entry 1 has the character U\+0301,/],
    ['templates', '["plain", 1]', /must be a list of template names$/]
  ]
  for (const [field, text, problem] of wrong) {
    const problems = readGroup('lobby', `{${names.map(name => `"${name}":${name === field ? text : JSON.stringify(lobby[name as keyof Group])}`).join()}}`)
    t.match(problems, [{ field, problem }], `${field}: ${text.slice(0, 40)}`)
  }
  t.strictSame(readGroup('lobby', JSON.stringify(lobby).replace('"fallback":true', '"fallback":true,"level":1e400')), [{ field: 'properties.level', problem: 'must be a finite number' }])
})

t.test('a property that is beyond every number leaves the rest of the group in force at a start', async t => {
  const { entry, log } = withFile(JSON.stringify(lobby).replace('"fallback":true', '"fallback":true,"level":1e400'))
  t.match(entry(), { damaged: false, fault: 'properties.level must be a finite number', group: { properties: { fallback: true }, maxMemory: 128 } })
  t.match(log, [{ level: 'error', field: 'properties.level' }])
})
