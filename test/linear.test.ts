/**
 * Whatever somebody sends is read in time proportional to its length (S3). The linter judges what it can; here every
 * expression meets texts made of what it nearly matches, and every function that reads foreign text the worst 64 kB
 * that we know (those of the fleet in `test/runtime/fleet/linear.test.ts`). `LINEAR_SEED=<n>` makes the same
 * texts again.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import t from 'tap'
import ts from 'typescript'
import { networksOf } from '../lib/access/networks.js'
import { plainAddress } from '../lib/addresses.js'
import { readCookie } from '../lib/access/cookie.js'
import { isSameOrigin } from '../lib/access/origin.js'
import { hideTokens } from '../lib/access/log-redaction.js'
import { checkName, foldGiven } from '../lib/schemas/account-names.js'
import { checkColour, checkPermissions } from '../lib/schemas/role-form.js'
import { isLine, isName } from '../lib/schemas/names.js'
import { expressionOf, pathOf } from '../lib/http/paths.js'
import { printable } from '../lib/printable.js'
import { build } from './fixtures/cloud.js'
import { costOf, length, limit, pumped, tooDear, units } from './fixtures/linear.js'
import { repository } from './fixtures/repository.js'
import { newSeed, rounds } from './fixtures/rounds.js'

const seed = Number(process.env['LINEAR_SEED'] ?? newSeed())

t.setTimeout(600_000)
t.comment(`LINEAR_SEED=${seed}`)

interface Expression {
  readonly where: string
  readonly expression: RegExp
}

/** Every expression that is written in the sources, patterns of schemas as well, and what is made into one at run time. */
function expressionsOf (path: string): { readonly written: readonly Expression[], readonly made: readonly string[] } {
  const source = ts.createSourceFile(path, readFileSync(join(repository, path), 'utf8'), ts.ScriptTarget.Latest, true)
  const written: Expression[] = []
  const made: string[] = []
  const where = (node: ts.Node): string => `${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
  function visit (node: ts.Node): void {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      written.push({ where: where(node), expression: new RegExp(node.text.slice(1, end), node.text.slice(end + 1)) })
    } else if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && ts.isIdentifier(node.expression) && node.expression.text === 'RegExp') {
      made.push(basename(path))
    } else if (ts.isPropertyAssignment(node) && node.name.getText() === 'pattern' && ts.isStringLiteralLike(node.initializer)) {
      written.push({ where: where(node), expression: new RegExp(node.initializer.text) })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return { written, made }
}

const sources = ['lib', 'types', 'examples'].flatMap(top => readdirSync(join(repository, top), { withFileTypes: true, recursive: true })
  .filter(entry => entry.isFile() && /\.[jt]s$/.test(entry.name) && !entry.parentPath.includes('node_modules'))
  .map(entry => relative(repository, join(entry.parentPath, entry.name)))).map(expressionsOf)

const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))

/** Texts that an expression matches, to be broken afterwards. */
function matching ({ source, flags }: RegExp): readonly string[] {
  // The generator draws from ASCII, and would draw for ever for a class in which there is none of it.
  const drawable = source.replace(/\[\^(?:\\.|[^\]\\])*\]/g, other => ascii.some(character => new RegExp(other, flags).test(character)) ? other : 'é')
  // What the generator does not know is taken for something that it knows, or for nothing at all.
  const plainer = drawable.replace(/\(\?<?[!=][^()]*\)/g, '').replace(/\\[pP]\{[^}]*\}/g, 'a')
  for (const form of [drawable, plainer]) {
    try {
      return fc.sample(fc.stringMatching(new RegExp(form, flags.replace(/[gy]/g, ''))), { numRuns: 6, seed })
    } catch {}
  }
  return []
}

/** A text that matches, with one part of it over and over again, and then something that does not. */
function * attacks (expression: RegExp, to: number): Generator<string> {
  for (const whole of matching(expression).map(text => text.slice(0, 24))) {
    for (let start = 0; start < whole.length; start++) {
      for (const size of [1, 2, 3, 5, 8]) {
        const unit = whole.slice(start, start + size)
        yield `${whole.slice(0, start)}${pumped(unit, to)}\u0001`
      }
    }
  }
}

t.test('S3: no expression of ours is more than linear', async t => {
  const written = sources.flatMap(source => source.written)
  t.ok(written.length > 60, `${written.length} expressions`)
  for (const { where, expression } of written.filter((_, at) => at % rounds(3, 1) === 0)) {
    const every = new RegExp(expression, expression.flags.includes('g') ? expression.flags : `${expression.flags}g`)
    // Two milliseconds for 4 kB may be the machine; sixteen times the text then takes sixteen times as long, and not 256 times.
    const suspect = [...attacks(expression, 4_096)].find(attack => costOf(() => attack.replace(every, ''), 2) > 2)
    if (suspect === undefined) continue
    const whole = costOf(() => `${suspect.slice(0, -1).repeat(16)}\u0001`.replace(every, ''), limit)
    if (whole > limit) t.fail(`${where} ${expression.source}: ${Math.round(whole)} ms for ${JSON.stringify(suspect.slice(0, 40))}…`)
  }
})

t.test('S3: whoever makes an expression at run time is known, and tried', async t => {
  t.strictSame(new Set(sources.flatMap(source => source.made)), new Set(['printable.ts', 'paths.ts', 'log-lines.ts', 'platform-definition.ts']))
})

/** A request as far as the readers of headers look at it. */
const requestWith = (fields: object): FastifyRequest => ({ method: 'POST', headers: {}, host: '', ip: '', socket: {}, ...fields }) as unknown as FastifyRequest
const attempt = (task: () => unknown): void => { try { task() } catch {} }

const router = { useSemicolonDelimiter: true, routerOptions: { ignoreDuplicateSlashes: true, caseSensitive: false } } as FastifyInstance['initialConfig']
const channel = expressionOf('/cloud/service/:name/screen', '/?$', router)

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'the cookie': text => readCookie(text, 'token'),
  'an address': text => networksOf(plainAddress(text)),
  'an address with a port': text => networksOf(plainAddress(`[${text}]:1`)),
  'an origin': text => isSameOrigin(requestWith({ headers: { origin: text }, host: text }), []),
  'the host of an origin': text => isSameOrigin(requestWith({ headers: { origin: `https://${text}` }, host: 'a' }), []),
  'the host that is asked for': text => isSameOrigin(requestWith({ headers: { origin: 'https://a' }, host: text }), []),
  'the address of a request in the log': text => hideTokens(requestWith({ url: `/${text}`, host: text, ip: text })),
  'the address of a handshake': text => [`/${text}`, `/cloud/service/${text}`, `/cloud${text}/service`, `http://${text}`, text]
    .some(url => channel.test(pathOf(url, router))),
  'a text to be shown': text => printable(text),
  'a name to look up': text => foldGiven(text),
  'a new name': text => attempt(() => checkName(text, 'Username')),
  'a colour': text => attempt(() => checkColour(`#${text}`)),
  'a permission': text => attempt(() => checkPermissions([text, `a.${text}`])),
  'a command': text => isLine(text),
  'the name of a group': text => isName(text)
}

for (const [name, read] of Object.entries(readers)) {
  t.test(`S3: 64 kB are read at once as ${name}`, async t => {
    t.strictSame(tooDear(read), [])
  })
}

t.test('S3: 64 kB are written at once to the log of the standalone server', async t => {
  const { readable } = await import(pathToFileURL(join(repository, 'examples/standalone/log.js')).href) as { readable (write: (text: string) => void): { write (json: string): void } }
  let written = ''
  const log = readable(text => { written = text })
  for (const unit of units) {
    const text = pumped(unit, length / 4)
    const json = JSON.stringify({ level: 30, time: 0, msg: text, username: text, req: { url: text }, err: { stack: text } })
    const spent = costOf(() => { log.write(json) }, limit)
    if (spent > limit) t.fail(`${Math.round(spent)} ms for ${JSON.stringify(unit)}`)
    if (written.length > 20_000) t.fail(`a line of ${written.length} characters`)
  }
})

t.test('S3: 64 kB in any field of any request are answered at once', async t => {
  const { app, setUp } = await build(t, {
    host: { bodyLimit: 1_048_576, logger: { level: 'info', stream: { write () {} } }, trustProxy: true, routerOptions: { maxParamLength: 100_000 } },
    loginThrottle: { perAddress: 1_000_000, perAddressAndName: 1_000_000 }
  })
  const root = await setUp()
  const requests: Array<readonly [name: string, send: (text: string) => Promise<unknown>]> = [
    ...['cookie', 'origin', 'host', 'x-forwarded-for', 'x-forwarded-host', 'if-none-match', 'user-agent', 'content-type', 'accept', 'authorization', 'upgrade'].map(header =>
      [`header ${header}`, async (text: string) => await app.inject({ method: 'POST', url: '/cloud/api/v3/auth/logout', headers: { [header]: text } })] as const),
    ['query', async text => await root('GET', `/group/count?from=${encodeURI(text.toWellFormed())}&${encodeURI(text.toWellFormed())}`)],
    ['path', async text => await root('GET', `/player/${encodeURIComponent(text.toWellFormed())}`)],
    ['unknown path', async text => await root('GET', `/${encodeURI(text.toWellFormed())}`)],
    ['token', async text => await root('DELETE', `/user/token/${encodeURIComponent(text.toWellFormed())}`)],
    ['body', async text => await root('POST', '/auth/login', undefined, { payload: text, headers: { 'content-type': 'application/json' } })],
    ['login', async text => await root('POST', '/auth/login', { username: text, password: text })],
    ['first user', async text => await root('POST', '/user/self', { username: text, password: text })],
    ['new user', async text => await root('POST', '/user/', { username: text })],
    ['role of a user', async text => await root('PATCH', '/user/edit', { uuid: text, roleId: 0 })],
    ['own name', async text => await root('PATCH', '/user/self/edit', { username: text })],
    ['own password', async text => await root('PATCH', '/user/self/change-password', { password: text })],
    ['label', async text => await root('POST', '/role/', { label: text, hexColor: '#FFF' })],
    ['colour', async text => await root('POST', '/role/', { label: 'x', hexColor: text })],
    ['permissions', async text => await root('POST', '/role/', { label: 'x', hexColor: '#FFF', permissions: [text] })],
    ['template', async text => await root('POST', '/template/', { name: text })],
    ['command', async text => await root('POST', '/service/lobby-1/command', { command: text })],
    ['terminal', async text => await root('POST', '/terminal/command', { command: text })],
    ['group', async text => await root('POST', '/group/create', { name: text, templates: [text], properties: { [text]: text } })]
  ]
  for (const [name, send] of requests) {
    // Each reader has met all of them above; here it is asked whether something else reads.
    for (const unit of ['a', '.', ' ', ';', ',', '"', '%41', ':', '[', '\u0f71\u0f72\u0f74']) {
      let best = Infinity
      // Beside the event loop the worker that hashes counts as well; at cost 4 that is a millisecond.
      for (let time = 0; time < 3 && best > limit; time++) {
        const before = process.cpuUsage()
        await send(pumped(unit)).catch(() => {})
        const { user, system } = process.cpuUsage(before)
        best = Math.min(best, (user + system) / 1000)
      }
      if (best > limit) t.fail(`${name}: ${Math.round(best)} ms for ${JSON.stringify(unit)}`)
    }
  }
})
