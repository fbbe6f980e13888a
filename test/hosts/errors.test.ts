/** What a host is told when something cannot be set up. */
import Fastify from 'fastify'
import t from 'tap'
import { type CloudOptions, Failure, SetupError, fastifyCloud } from '../../lib/index.js'
import { openPostgresStorage } from '../../lib/storage/postgres.js'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import { build } from '../fixtures/cloud.js'

t.setTimeout(600_000)

/** What is thrown, by whatever is refused. */
async function thrownBy (act: () => unknown): Promise<unknown> {
  try {
    await act()
  } catch (error) {
    return error
  }
}

t.test('H9: whatever cannot be set up is one exported class with a code, thrown by the plugin and by the storages', async t => {
  const { app } = await build(t)
  const file = `${t.testdir()}/cloud.db`
  const storage = await openSqliteStorage({ file })
  t.teardown(() => storage.close())
  const other = Fastify()
  t.teardown(() => other.close())
  const refusals = {
    CLOUD_ERR_OPTION: async () => { await other.register(fastifyCloud, {} as CloudOptions) },
    CLOUD_ERR_PERMISSION: () => app.cloud.access('cloud.group.lst'),
    CLOUD_ERR_STORAGE_OPTION: () => openSqliteStorage({} as { file: string }),
    CLOUD_ERR_STORAGE_IN_USE: () => openSqliteStorage({ file })
  }
  for (const [code, act] of Object.entries(refusals)) {
    const error = await thrownBy(act)
    t.ok(error instanceof SetupError, code)
    t.match(error, { name: 'SetupError', code })
  }
  t.ok(await thrownBy(() => openPostgresStorage({} as { url: string })) instanceof SetupError)
})

t.test('what the host is refused is one exported class as well, with the status and the code of the interface', async t => {
  const heard: unknown[] = []
  const { app } = await build(t, {
    after: app => {
      app.setErrorHandler((error, _request, reply) => {
        heard.push(error)
        reply.code(418).send('refused')
      })
      app.get('/mine', { onRequest: app.cloud.access('mycore.thing') }, async () => 'mine')
    }
  })
  t.equal((await app.inject('/mine')).statusCode, 418)
  heard.push(await thrownBy(async () => await app.cloud.terminal('make coffee')))
  t.ok(heard.every(error => error instanceof Failure))
  t.match(heard, [{ statusCode: 401, code: 'missing_token' }, { statusCode: 400 }])
})
