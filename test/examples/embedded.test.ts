/** `examples/embedded`, run as it stands. Needs a built `dist`, for `fastify-cloud` to be found by its name. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { repository } from '../fixtures/repository.js'

const directory = mkdtempSync(join(tmpdir(), 'fastify-cloud-'))
t.teardown(() => { rmSync(directory, { recursive: true, force: true }) })

/** Starts the example; answers its address when it says that it listens. */
async function start (): Promise<{ readonly child: ChildProcess, readonly url: string, said (): string }> {
  const child = spawn(process.execPath, [join(repository, 'examples/embedded/server.js')], {
    env: { PATH: process.env['PATH'], PORT: '0', CLOUD_DIRECTORY: directory, CLOUD_SECRET: 'kept over restarts, and longer than 32 bytes' },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => child.kill('SIGKILL'))
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    const listen = (text: Buffer): void => {
      said += text.toString()
      const found = /listening on (\S+);/.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    child.once('exit', code => { reject(new Error(`The example ended with ${code}: ${said}`)) })
  })
  return { child, url, said: () => said }
}

async function stop (child: ChildProcess): Promise<number | null> {
  const exited = once(child, 'exit') as Promise<[number | null]>
  child.kill('SIGTERM')
  return (await exited)[0]
}

interface Sent { readonly token?: string | undefined, readonly body?: unknown, readonly authorization?: string }

async function send (method: string, url: string, { token, body, authorization }: Sent = {}) {
  const response = await fetch(url, {
    method,
    headers: {
      connection: 'close',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { cookie: `token=${token}` }),
      ...(authorization !== undefined && { authorization })
    },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return {
    status: response.status,
    body: (text === '' ? undefined : JSON.parse(text)) as any, // whatever the server says; each test compares it whole
    token: /^token=([^;]+)/.exec(response.headers.getSetCookie().join('\n'))?.[1]
  }
}

t.setTimeout(600_000)

t.test('the embedded example guards a route of its host', async t => {
  const { child, url, said } = await start()
  const api = `${url}/cloud/api/v3`

  t.match(await send('POST', `${url}/backups`), { status: 401, body: { statusCode: 401, error: 'Unauthorized', message: 'Missing token' } })
  const { token: admin, ...made } = await send('POST', `${api}/user/self`, { body: { username: 'root', password: 'correct horse' } })
  t.match(made, { status: 201, body: { status: 201, message: 'User created successfully' } })
  t.strictSame(await send('POST', `${url}/backups`, { token: admin }), { status: 200, body: { startedBy: 'root' }, token: undefined })

  const created = await send('POST', `${api}/user/`, { token: admin, body: { username: 'jane' } })
  t.equal(created.status, 201)
  const { token: jane } = await send('POST', `${api}/auth/login`, { body: { username: 'jane', password: created.body.data.password } })
  t.equal((await send('PATCH', `${api}/user/self/change-password`, { token: jane, body: { password: 'battery staple' } })).status, 200)
  t.match(await send('POST', `${url}/backups`, { token: jane }), { status: 403, body: { statusCode: 403, error: 'Forbidden', message: 'Forbidden' } })
  t.equal((await send('GET', `${api}/services/list`, { token: jane })).body.data[0].name, 'lobby-1')

  const { body: { data: user } } = await send('GET', `${api}/role/0`, { token: admin })
  const { label, hexColor, permissions } = user
  const edited = await send('PATCH', `${api}/role/0`, { token: admin, body: { label, hexColor, permissions: [...permissions, 'mycore.backup'] } })
  t.equal(edited.status, 200)
  t.strictSame((await send('POST', `${url}/backups`, { token: jane })).body, { startedBy: 'jane' }, 'as soon as her role holds the permission')

  const { body: { token: customer } } = await send('POST', `${url}/customers/login`)
  t.match(await send('GET', `${url}/customers/self`, { authorization: `Bearer ${customer}` }), { status: 200, body: { customer: 'jane' } })
  t.equal((await send('GET', `${url}/customers/self`, { authorization: `Bearer ${admin}` })).status, 401, 'our token is none of theirs')
  t.equal((await send('POST', `${url}/backups`, { token: customer })).status, 401, 'their token is none of ours')

  t.match(await send('POST', `${api}/service/lobby-1/command`, { token: admin, body: { command: 'say hi' } }), { status: 200 })
  t.match(await send('POST', `${api}/service/lobby-2/command`, { token: admin, body: { command: 'say hi' } }), { status: 404 })
  t.match(await send('PATCH', `${api}/service/lobby-1/restart`, { token: admin }), { status: 202 })
  t.match(await send('GET', `${api}/player/steve`, { token: admin }), { status: 200, body: { data: { currentServiceName: 'lobby-1' } } })
  t.match(await send('GET', `${api}/system/information`, { token: admin }), { status: 200 })
  t.match(await send('POST', `${api}/template/`, { token: admin, body: { name: 'x' } }), { status: 500, body: { message: 'Unsupported template runtime' } })
  t.match(said(), /\[lobby-1\] say hi/)

  t.equal(await stop(child), 0, 'it ends by itself on SIGTERM')
  t.notMatch(said(), /could not be stored|destroyed/)

  const again = await start()
  t.equal((await send('GET', `${again.url}/cloud/api/v3/user/self`, { token: admin })).status, 200, 'users and sessions are still there')
  t.equal(await stop(again.child), 0)
})
