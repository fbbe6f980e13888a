/** What game servers print and answer, and what templates say of proxies, is read in time proportional to its length (S3). */
import t from 'tap'
import { fill } from '../../../lib/runtime/fleet/content/placeholders.js'
import { type PlatformDefinition, readDefinition, saysReady } from '../../../lib/runtime/fleet/content/platform-definition.js'
import { replaceTable } from '../../../lib/runtime/fleet/network/writers/toml-tables.js'
import { writers } from '../../../lib/runtime/fleet/network/writers/index.js'
import { plain, readEvent } from '../../../lib/runtime/fleet/players/log-lines.js'
import { readAnswer, readStatus } from '../../../lib/runtime/fleet/players/status-ping.js'
import { costOf, limit, pumped, tooDear } from '../../fixtures/linear.js'

t.setTimeout(600_000)

const definition = (fields: object): string => JSON.stringify({ name: 'limbo', type: 'SERVER', versions: ['1'], command: 'node', ready: { tcp: true }, ...fields })

await writers.velocity.load?.()
const attempt = (task: () => unknown): void => { try { task() } catch {} }

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'a line of a console': text => readEvent(plain(text)),
  'what a server says of its players': text => [readEvent(`[12:00:00 INFO]: UUID of player ${text} is`), readEvent(`${text} joined the game`), readEvent(`A (${text}) connected`)],
  'a status': text => readStatus(JSON.stringify({ players: { online: 1, max: 1, sample: [{ name: text, id: text }] }, description: { text, extra: [text] } })),
  'the bytes of a status': text => readAnswer(Buffer.from(text)),
  'a text with placeholders': text => fill(text, {} as never),
  'a definition': text => readDefinition('limbo', definition({ command: text, args: [text] })),
  'a table of TOML': text => [text, `x = ['''x'''' , '${text}']`, `x = "${text}`].map(toml => replaceTable(toml, 'servers', ['a = "b"'])),
  'a velocity.toml': text => { attempt(() => writers.velocity.render([], { proxyProtocol: false }, { text, isNew: true })) }
}

for (const [name, read] of Object.entries(readers)) {
  t.test(`S3: 64 kB are read at once as ${name}`, async t => {
    t.strictSame(tooDear(read), [])
  })
}

t.test("S3: a platform's own expression sees so little of a line that a careless one is quick all the same", async t => {
  const { ready } = readDefinition('limbo', definition({ ready: { log: 'Done.*!$' } })) as PlatformDefinition
  t.ok(saysReady(ready, 'Done (1.5s)!'))
  t.notOk(saysReady(ready, `${'x'.repeat(600)}Done!`))
  for (const unit of ['a', 'Done', 'Done!', 'Done! ']) t.ok(costOf(() => saysReady(ready, pumped(unit)), limit) <= limit, unit)
})

t.test('R21: a velocity.toml is read in time proportional to its length, also where it is valid and full of quotes, or says a table in many keys', async t => {
  const quotes = pumped('\\"')
  const texts = { valid: `x = ["${quotes}"]\n`, 'behind a quote of the text': `x = ['''x'''' , '${quotes}']\n`, keys: Array.from({ length: 3_500 }, (_, n) => `servers.s${n} = "a"\n`).join('') }
  for (const [name, text] of Object.entries(texts)) {
    const spent = costOf(() => writers.velocity.render([], { proxyProtocol: false }, { text, isNew: true }), limit)
    t.ok(spent <= limit, `${name}: ${Math.round(spent)} ms`)
  }
})
