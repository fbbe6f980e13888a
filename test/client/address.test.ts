/** What the client makes of parameters, down to the server that reads them. */
import t from 'tap'
import { addressOf } from '../../lib/client/address.js'
import { CloudError, createClient } from '../../lib/client/index.js'
import { adminPassword, build } from '../fixtures/cloud.js'
import { runtimeWithFiles } from '../fixtures/template-files.js'

t.test('the path of a file keeps its slashes, every other sign is of a name', async t => {
  t.equal(addressOf('/template/{templateName}/file/{path}', { templateName: 'hub', path: 'a b/100%?#/ü$&.txt' }), '/template/hub/file/a%20b/100%25%3F%23/%C3%BC%24%26.txt')
  t.equal(addressOf('/player/{playerName}', { playerName: 'a/b' }), '/player/a%2Fb')
})

t.test('what would make another address of it is never sent', async t => {
  const paths = ['..', '.', '', 'a/..', '../../group/lobby', 'a//b', '/a', 'a/']
  for (const path of paths) t.throws(() => addressOf('/template/{templateName}/file/{path}', { templateName: 'hub', path }), { name: 'CloudError', status: 400, code: 'invalid_address' }, path)
  for (const name of ['..', '.', '']) t.throws(() => addressOf('/group/{name}', { name }), { code: 'invalid_address' }, name)
  const sent: string[] = []
  const client = createClient({ url: 'http://127.0.0.1:9/api', fetch: async ({ url }) => { sent.push(url); return new Response() } })
  // An address of `..` would delete the template.
  await t.rejects(client.DELETE('/template/{templateName}/file/{path}', { params: { path: { templateName: 'hub', path: '..' } } }), CloudError)
  t.strictSame(sent, [])
})

t.test('files of strange names are written, read and deleted over HTTP', async t => {
  const cloud = await build(t, { runtime: runtimeWithFiles() })
  await cloud.setUp()
  const url = await cloud.app.listen({ host: '127.0.0.1', port: 0 })
  const client = createClient({ url: `${url}/cloud/api/v3` })
  t.equal((await client.POST('/auth/login', { body: { username: 'root', password: adminPassword } })).response.status, 200)
  const [{ name: templateName = '' } = {}] = (await client.GET('/templates/list')).data?.data ?? []
  for (const path of ['plugins/a b.yml', '100%.txt', 'a%2Fb', 'ü/?#&$.txt']) {
    const where = { params: { path: { templateName, path } } }
    t.equal((await client.PUT('/template/{templateName}/file/{path}', { ...where, body: path, bodySerializer: body => body, headers: { 'content-type': 'application/octet-stream' } })).response.status, 201, path)
    t.ok((await client.GET('/template/{templateName}/files', { params: { path: { templateName } } })).data?.data.some(one => one.path === path), path)
    t.equal((await client.GET('/template/{templateName}/file/{path}', { ...where, parseAs: 'text' })).data, path)
    t.equal((await client.DELETE('/template/{templateName}/file/{path}', where)).response.status, 204)
  }
})
