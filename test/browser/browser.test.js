/** A real browser on a live channel: a page of our own origin gets every line, a page of another one gets nothing. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import Fastify from 'fastify'
import { fastifyCloud } from '../../dist/lib/index.js'
import { openSqliteStorage } from '../../dist/lib/storage/sqlite.js'
import { lacks, launch } from './chromium.js'
import { consoleRuntime } from './console-runtime.js'

const prefix = '/cloud/api/v3'
const password = 'correct horse battery'

/** Opens a socket and shows what becomes of it: each line, and how it ended. */
const page = `<!doctype html>
<title>console</title>
<ol id="lines"></ol>
<p id="state">connecting</p>
<script>
  const state = document.querySelector('#state')
  function watch (url) {
    const socket = new WebSocket(url)
    socket.onopen = () => { state.textContent = 'open' }
    socket.onmessage = ({ data }) => {
      document.querySelector('#lines').append(Object.assign(document.createElement('li'), { textContent: data }))
    }
    socket.onclose = ({ code, reason }) => { state.textContent = ('closed ' + code + ' ' + reason).trim() }
  }
  if (new URLSearchParams(location.search).has('watch')) watch(new URLSearchParams(location.search).get('watch'))
</script>`

describe('a browser', { skip: lacks, timeout: 60_000 }, () => {
  let browser, host, storage, directory, url, foreign
  const runtime = consoleRuntime()
  /** The requests that the host answered: method, path, origin, whether a cookie came along, status. */
  const seen = []

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cloud-browser-'))
    storage = await openSqliteStorage({ file: join(directory, 'cloud.db') })
    host = Fastify()
    host.addHook('onResponse', async ({ method, url, headers }, reply) => {
      seen.push({ method, path: url, origin: headers.origin, cookie: headers.cookie !== undefined, status: reply.statusCode })
    })
    host.get('/console', (_request, reply) => reply.type('text/html').send(page))
    // The cookie is `Secure`, as ever: a browser counts the loopback as trustworthy.
    await host.register(fastifyCloud, {
      secret: 'a secret for tests, longer than 32 bytes', passwordCost: 4, metrics: { interval: 0 }, storage, runtime
    })
    url = await host.listen({ host: '127.0.0.1', port: 0 })

    foreign = createServer((_request, response) => { response.setHeader('content-type', 'text/html').end(page) })
    foreign.listen(0, '127.0.0.1')
    await once(foreign, 'listening')

    browser = await launch()
    const made = await fetch(`${url}${prefix}/user/self`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ username: 'root', password })
    })
    assert.equal(made.status, 201)
  })

  after(async () => {
    await browser?.close()
    await host?.close()
    await storage?.close()
    foreign?.closeAllConnections()
    foreign?.close()
    if (directory !== undefined) await rm(directory, { recursive: true, force: true })
  })

  const socketUrl = () => `${url.replace('http:', 'ws:')}${prefix}/service/lobby-1/screen`

  /** A tab in a browser of its own that is logged in, as the page of our own would do it. */
  async function login (t) {
    const context = await browser.newContext()
    t.after(() => context.close())
    const tab = await context.newPage()
    tab.setDefaultTimeout(10_000)
    await tab.goto(`${url}/console`)
    assert.equal(await send(tab, 'POST', `${url}${prefix}/auth/login`, { username: 'root', password }), 200)
    return { context, tab }
  }

  const watching = async (tab, from) => { await tab.goto(`${from}/console?watch=${encodeURIComponent(socketUrl())}`) }

  /** The answer to the one request for that path since `from`, and what came with it; waits for it. */
  async function answered (from, method, path) {
    const deadline = Date.now() + 5_000
    for (;;) {
      const found = seen.slice(from).find(one => one.method === method && one.path === `${prefix}${path}`)
      if (found !== undefined) return found
      assert.ok(Date.now() < deadline, `${method} ${path} arrived`)
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }

  test('opens a console with its cookie, and shows each line once', async t => {
    runtime.print('before one', 'before two')
    const { context, tab } = await login(t)
    const [cookie] = await context.cookies()
    assert.deepEqual({ ...cookie, value: '', expires: 0 }, {
      name: 'token', value: '', domain: '127.0.0.1', path: '/', expires: 0, httpOnly: true, secure: true, sameSite: 'Strict'
    })
    assert.equal(await tab.evaluate('document.cookie'), '', 'a script cannot read it')

    await watching(tab, url)
    await tab.getByText('open', { exact: true }).waitFor()
    runtime.print('Grüße 😀 <b>not bold</b>')
    for (let line = 0; line < 200; line++) runtime.print(`line ${line}`)
    await tab.getByText('line 199', { exact: true }).waitFor()
    assert.deepEqual(await tab.locator('#lines li').allTextContents(), [
      'before one', 'before two', 'Grüße 😀 <b>not bold</b>', ...Array.from({ length: 200 }, (_, line) => `line ${line}`)
    ])
  })

  test('has its console closed by a logout in another tab', async t => {
    const { context, tab } = await login(t)
    await watching(tab, url)
    await tab.getByText('open', { exact: true }).waitFor()
    const other = await context.newPage()
    await other.goto(`${url}/console`)
    assert.equal(await send(other, 'POST', `${url}${prefix}/auth/logout`), 200)
    await tab.getByText('closed 3000 Unauthorized', { exact: true }).waitFor()
    assert.deepEqual(await context.cookies(), [])
  })

  test('without a login opens no console', async t => {
    const context = await browser.newContext()
    t.after(() => context.close())
    const tab = await context.newPage()
    const from = seen.length
    await watching(tab, url)
    await tab.getByText('closed 1006', { exact: true }).waitFor()
    assert.equal((await answered(from, 'GET', '/service/lobby-1/screen')).status, 401)
  })

  // Another port is another origin of the same site, to which SameSite=Strict does not apply; another name is another site.
  for (const [what, name, comesWithCookie] of [
    ['of another port', '127.0.0.1', true],
    ['of another site', 'localhost', false]
  ]) {
    describe(`in which a page ${what} is open`, () => {
      const origin = () => `http://${name}:${foreign.address().port}`

      test('opens no console for it', async t => {
        const { tab } = await login(t)
        const from = seen.length
        await watching(tab, origin())
        await tab.getByText('closed 1006', { exact: true }).waitFor()
        assert.deepEqual(await answered(from, 'GET', '/service/lobby-1/screen'), {
          method: 'GET', path: `${prefix}/service/lobby-1/screen`, origin: origin(), cookie: comesWithCookie, status: 403
        })
        assert.deepEqual(await tab.locator('#lines li').allTextContents(), [])
      })

      test('changes nothing for it', async t => {
        const { tab } = await login(t)
        await tab.goto(origin())
        const refused = path => ({ method: 'POST', path: `${prefix}${path}`, origin: origin(), cookie: comesWithCookie, status: 403 })

        let from = seen.length
        assert.equal(await send(tab, 'POST', `${url}${prefix}/auth/logout`), 'Failed to fetch')
        assert.deepEqual(await answered(from, 'POST', '/auth/logout'), refused('/auth/logout'))

        from = seen.length
        assert.equal(await send(tab, 'POST', `${url}${prefix}/terminal/command`, { command: 'player count' }), 'Failed to fetch')
        assert.equal((await answered(from, 'OPTIONS', '/terminal/command')).status, 404, 'the preflight')

        from = seen.length
        await form(tab, `${url}${prefix}/auth/logout`)
        assert.deepEqual(await answered(from, 'POST', '/auth/logout'), refused('/auth/logout'))
        assert.deepEqual(JSON.parse(await tab.locator('body').innerText()), { status: 403, message: 'Forbidden origin', code: 'forbidden_origin' })

        await tab.goto(`${url}/console`)
        assert.equal(await send(tab, 'GET', `${url}${prefix}/user/self`), 200, 'still logged in')
        assert.equal(seen.some(one => one.method === 'POST' && one.path === `${prefix}/terminal/command`), false)
      })

      test('shows it no answer', async t => {
        const { tab } = await login(t)
        await tab.goto(origin())
        const from = seen.length
        assert.equal(await send(tab, 'GET', `${url}${prefix}/user/self`), 'Failed to fetch')
        const { cookie, status } = await answered(from, 'GET', '/user/self')
        assert.deepEqual({ cookie, status }, comesWithCookie ? { cookie: true, status: 200 } : { cookie: false, status: 401 })
      })
    })
  }
})

/** Sends a request from within the page: the status of the answer, or why the page may not see one. */
async function send (tab, method, url, body) {
  return await tab.evaluate(async ({ method, url, body }) => {
    try {
      const { status } = await fetch(url, {
        method,
        credentials: 'include',
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
      })
      return status
    } catch (error) {
      return error.message
    }
  }, { method, url, body })
}

/** Sends what a plain form sends, and goes where it leads. */
async function form (tab, action) {
  await Promise.all([
    tab.waitForURL(action),
    tab.evaluate(action => {
      const form = Object.assign(document.createElement('form'), { method: 'POST', action, enctype: 'text/plain' })
      document.body.append(form)
      form.submit()
    }, action)
  ])
}
