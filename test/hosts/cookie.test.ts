/** The cookie of the token, beside whatever a host does with cookies. */
import fastifyCookie, { type FastifyCookieOptions } from '@fastify/cookie'
import t from 'tap'
import { adminPassword, base, build } from '../fixtures/cloud.js'
import { manifest } from '../fixtures/package.js'

t.setTimeout(600_000)

const signed: FastifyCookieOptions = {
  secret: 'the cookie secret of the host', parseOptions: { signed: true, domain: 'host.example', path: '/host', sameSite: 'none', maxAge: 5 }
}
const hosts: Record<string, Parameters<typeof build>[1]> = {
  'no cookies of its own': {},
  '@fastify/cookie, before us': { before: app => app.register(fastifyCookie) },
  '@fastify/cookie, after us': { after: app => app.register(fastifyCookie) },
  '@fastify/cookie that signs with attributes of its own, before us': { before: app => app.register(fastifyCookie, signed) },
  '@fastify/cookie that signs with attributes of its own, after us': { after: app => app.register(fastifyCookie, signed) }
}

for (const [name, options = {}] of Object.entries(hosts)) {
  t.test(`the token's cookie is the same in a host with ${name}`, async t => {
    const { app, setUp, client } = await build(t, {
      ...options,
      after: async app => {
        await options.after?.(app)
        app.get('/own', async (request, reply) => {
          reply.setCookie?.('own', 'value')
          return { signs: typeof reply.signCookie, cookies: request.cookies ?? null }
        })
      }
    })
    const root = await setUp()
    const attributes = 'Max-Age=604800; Path=/; HttpOnly; Secure; SameSite=Strict'
    const login = await client()('POST', '/auth/login', { username: 'root', password: adminPassword })
    t.match(login.cookie, /^[\w-]+\.[\w-]+\.[\w-]+$/)
    t.strictSame(login.headers['set-cookie'], `token=${login.cookie}; ${attributes}`)
    t.strictSame((await root('POST', '/auth/logout')).headers['set-cookie'], `token=; ${attributes.replace('604800', '0')}`)

    const own = await app.inject({ url: '/own', headers: { cookie: 'own=before' } })
    const hasOwn = /@fastify/.test(name)
    t.strictSame(own.json(), { signs: /signs/.test(name) ? 'function' : 'undefined', cookies: hasOwn ? { own: 'before' } : null })
    t.equal(own.headers['set-cookie'] !== undefined, hasOwn)
    t.equal(app.hasDecorator('serializeCookie'), hasOwn)
    t.equal(app.hasReplyDecorator('setCookie'), hasOwn)
  })
}

t.test('two cookies of our name are seen as two, though the host parses cookies as well', async t => {
  const { app, setUp } = await build(t, { before: app => app.register(fastifyCookie) })
  const root = await setUp()
  const ask = async (cookie: string) => (await app.inject({ url: `${base}/user/self`, headers: { cookie } })).statusCode
  t.equal(await ask(`token=${root.token}; token=${root.token}`), 200)
  t.equal(await ask(`token=${root.token}; token=another`), 401)
})

t.test('what writes cookies is @fastify/cookie', async t => {
  t.ok('@fastify/cookie' in manifest.dependencies)
  t.notOk('cookie' in manifest.dependencies)
})
