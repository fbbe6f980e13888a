/** What game servers print and answer is read in time proportional to its length (S3). */
import t from 'tap'
import { fill } from '../../../lib/runtime/fleet/content/placeholders.js'
import { type PlatformDefinition, readDefinition, saysReady } from '../../../lib/runtime/fleet/content/platform-definition.js'
import { plain, readEvent } from '../../../lib/runtime/fleet/players/log-lines.js'
import { readAnswer, readStatus } from '../../../lib/runtime/fleet/players/status-ping.js'
import { costOf, limit, pumped, tooDear } from '../../fixtures/linear.js'

t.setTimeout(600_000)

const definition = (fields: object): string => JSON.stringify({ name: 'limbo', type: 'SERVER', versions: ['1'], command: 'node', ready: { tcp: true }, ...fields })

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'a line of a console': text => readEvent(plain(text)),
  'what a server says of its players': text => [readEvent(`[12:00:00 INFO]: UUID of player ${text} is`), readEvent(`${text} joined the game`), readEvent(`A (${text}) connected`)],
  'a status': text => readStatus(JSON.stringify({ players: { online: 1, max: 1, sample: [{ name: text, id: text }] }, description: { text, extra: [text] } })),
  'the bytes of a status': text => readAnswer(Buffer.from(text)),
  'a text with placeholders': text => fill(text, {} as never),
  'a definition': text => readDefinition('limbo', definition({ command: text, args: [text] }))
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
