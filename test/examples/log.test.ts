/** What the standalone server writes for people, and what its console client shows them. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { repository } from '../fixtures/repository.js'

t.setTimeout(600_000)

const load = async (file: string) => await import(pathToFileURL(join(repository, 'examples/standalone', file)).href)
const { readable } = await load('log.js') as { readable (write: (text: string) => void): { write (json: string): void } }
const { shown } = await load('printable.js') as { shown (line: string): string }

/** Each steers a terminal, hides, breaks a line, or is nothing yet. */
const steering = [
  '\u0000', '\u0007', '\b', '\t', '\n', '\r', '\u001b[2J', '\u007f', '\u0085', '\u009b2J', '\u009d0;x\u009c', '\u00ad', '\u034f', '\u061c', '\u115f', '\u180e',
  '\u200b', '\u200d', '\u200e', '\u2028', '\u2029', '\u202e', '\u2066', '\u2069', '\u3164', '\ufe0f', '\ufeff', '\ufff9', '\u0378', '\ue000', '\ud800', '\udfff', '\u{e0001}', '\u{1d173}', '\u{10ffff}'
]
const name = (text: string): string => [...text].map(character => `U+${character.codePointAt(0)?.toString(16)}`).join(' ')
const unprintable = /[^\P{C}]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

function written (record: object): string {
  let text = ''
  readable(more => { text += more }).write(JSON.stringify({ level: 30, time: 0, ...record }))
  return text
}

t.test('S11: whatever is not printable is escaped in every part of a record, and a record is one line', async t => {
  for (const one of steering) {
    const text = `a${one}b`
    const line = written({
      msg: text,
      username: text,
      deep: { list: [text] },
      [text]: 1,
      req: { method: 'GET', url: text, remoteAddress: text },
      res: { statusCode: 200 },
      responseTime: 1
    })
    t.match(line, /^[^\n]+\n$/, name(one))
    t.notMatch(line.slice(0, -1), unprintable, name(one))
  }
  t.equal(written({ msg: 'a\u009b31mb\u{e0001}' }), '1970-01-01T00:00:00.000Z INFO  a\\u009b31mb\\u{e0001}\n')
  t.equal(written({ msg: 'Jäger 漢字 😀 ~' }), '1970-01-01T00:00:00.000Z INFO  Jäger 漢字 😀 ~\n', 'and the rest is not')
})

t.test('S11: an error has its stack, a line each, set in so that none can be taken for a record', async t => {
  const line = written({ msg: 'x', err: { stack: 'Error: a\u009bb\n2026-11-21T00:00:00.000Z INFO  forged\n    at somewhere' } })
  t.equal(line, '1970-01-01T00:00:00.000Z INFO  x\n    Error: a\\u009bb\n    2026-11-21T00:00:00.000Z INFO  forged\n        at somewhere\n')
})

t.test('S3: a token or a key is cut out wherever it stands, and a record has an end', async t => {
  const token = `${'a'.repeat(36)}.${'b-_'.repeat(30)}.${'c'.repeat(43)}`
  for (const text of [token, `x ${token} y`, `/user/token/${token}/`, `token=${token};`, `.${token}.`, `aaaa.${token}`]) {
    t.notMatch(written({ msg: text, field: text }), /b-_b-_/, text.slice(0, 20))
  }
  const key = `fc_${'a1B2c3D4e5F6'}_${'b7G8'.repeat(9)}Zz`
  for (const id of [key, `Bearer${key}`, key.slice(0, -1)]) t.notMatch(written({ msg: 'x', id }), /b7G8b7G8/, id)
  t.match(written({ msg: 'x', command: 'op fc_0_Mallory' }), /op fc_0_Mallory/)
  const long = written({ msg: 'x'.repeat(100_000) })
  t.ok(long.length < 17_000)
  t.match(long, /x… \(\d+ more\)\n$/)
})

t.test('S11: the console client shows colours, and nothing else that steers a terminal', async t => {
  for (const one of steering.filter(one => one !== '\t' && one !== '\r')) t.notMatch(shown(`a${one}b`), unprintable, name(one))
  t.equal(shown('\u001b[32mgreen\u001b[1;31mred'), '\u001b[32mgreen\u001b[1;31mred\u001b[0m', 'they end with the line')
  t.equal(shown('10%\r\u001b[K100%\r'), '\\u001b[K100%')
  t.equal(shown('a\tb'), 'a    b')
  t.equal(shown('\u001b[32\u009bm'), '\\u001b[32\\u009bm')
})
