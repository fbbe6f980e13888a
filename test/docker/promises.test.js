/** What docs/docker.md promises of the engine of containers, tried on a real one. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createCloud } from './cloud.js'
import { directory, docker, here, registry, skip } from './given.js'
import { until } from './until.js'

const idOf = async ({ nameOf }, service) => await docker('inspect', '--format', '{{.Image}}', nameOf(service))

async function opened (t, more) {
  const cloud = await createCloud(more)
  t.after(async () => { await cloud.close() })
  await cloud.engine.find()
  return cloud
}

test('a service has no rights but those that it needs, and the limits of its group', { skip }, async t => {
  const cloud = await opened(t)
  const { nameOf } = cloud
  await cloud.start({ name: 'safe-1', memory: { min: 64, max: 512 }, cpu: 1.5, pids: 77 })
  const [{ HostConfig: host, Config: config, Mounts: mounts }] = JSON.parse(await docker('inspect', nameOf('safe-1')))
  assert.deepEqual(
    [host.Privileged, host.CapDrop, host.SecurityOpt, host.ReadonlyRootfs, host.Binds, config.User, host.PidMode, host.Devices],
    [false, ['ALL'], ['no-new-privileges:true'], true, null, '1000:1000', '', null])
  assert.deepEqual([host.Memory, host.MemorySwap, host.MemoryReservation, host.NanoCpus, host.PidsLimit], [768 * 1024 ** 2, 768 * 1024 ** 2, 64 * 1024 ** 2, 1.5e9, 77])
  assert.deepEqual(mounts.map(({ Type, Destination }) => [Type, Destination]), [['volume', '/service']])
  const inside = async (...words) => await docker('exec', nameOf('safe-1'), ...words)
  assert.match(await inside('grep', '-E', 'CapEff|CapBnd|NoNewPrivs', '/proc/1/status'), /^CapEff:\t0+\nCapBnd:\t0+\nNoNewPrivs:\t1$/)
  await assert.rejects(inside('sh', '-c', 'echo x > /platform/told.mjs'), /Read-only file system/)
  await assert.rejects(inside('sh', '-c', 'echo x > /etc/passwd'), /Read-only file system|Permission denied/)
  assert.equal(await inside('sh', '-c', 'echo x > /tmp/x && echo x > here && cat here'), 'x')
})

test('a platform that says so writes to the root of its image, and a secret is in no image and for its user only', { skip }, async t => {
  const cloud = await opened(t)
  const { nameOf } = cloud
  await cloud.start({
    name: 'open-1', image: { name: here.image, writable: true }, files: { 'config/secret.txt': '${secret:forwarding}', plain: 'x' }, values: { ...cloud.plan.values, 'secret:forwarding': 'quite-secret' } // eslint-disable-line no-template-curly-in-string -- a placeholder of platforms
  })
  assert.equal(await docker('inspect', '--format', '{{.HostConfig.ReadonlyRootfs}}', nameOf('open-1')), 'false')
  assert.equal(await docker('exec', nameOf('open-1'), 'sh', '-c', 'cat config/secret.txt; stat -c " %a %u" config/secret.txt plain config'), 'quite-secret 600 1000\n 644 1000\n 755 1000')
  await assert.rejects(docker('run', '--rm', '--entrypoint', 'ls', await idOf(cloud, 'open-1'), '/service/config'), /No such file/)
})

test('templates are an image that is told by its content: the same for all with that content, another when it changes', { skip }, async t => {
  const cloud = await opened(t)
  const { directory, nameOf } = cloud
  const [one, other] = ['one', 'other'].map(name => join(directory, 'templates', name))
  for (const path of [one, other]) mkdirSync(join(path, 'plugins'), { recursive: true })
  writeFileSync(join(one, 'plugins/a.txt'), 'one')
  writeFileSync(join(one, 'b.txt'), 'one')
  writeFileSync(join(other, 'b.txt'), 'other')
  const layers = [{ name: 'one', directory: one }, { name: 'other', directory: other }]
  await Promise.all([1, 2].map(async number => await cloud.start({ name: `t-${number}`, layers })))
  const first = await idOf(cloud, 't-1')
  assert.equal(await idOf(cloud, 't-2'), first)
  assert.match(first, /^sha256:[0-9a-f]{64}$/)
  assert.equal(await docker('inspect', '--format', '{{.RepoTags}}', first), '[]')
  assert.equal(await docker('exec', nameOf('t-1'), 'sh', '-c', 'cat plugins/a.txt b.txt; echo mine > b.txt; cat b.txt'), 'oneothermine')
  assert.equal(await docker('exec', nameOf('t-2'), 'cat', 'b.txt'), 'other')
  writeFileSync(join(other, 'b.txt'), 'again')
  await cloud.start({ name: 't-3', layers })
  assert.notEqual(await idOf(cloud, 't-3'), first)
  assert.equal(await docker('exec', nameOf('t-3'), 'cat', 'b.txt'), 'again')
})

const isFull = process.env.TEST_FULL === '1'

test('a template that changes while images are made of it: each image has what it is named by', { skip }, async t => {
  const cloud = await opened(t)
  const template = join(cloud.directory, 'templates/one')
  mkdirSync(template, { recursive: true })
  // What comes before it is long on its way.
  writeFileSync(join(template, 'large'), Buffer.alloc(isFull ? 40_000_000 : 20_000_000, 1))
  const texts = ['aaaaa', 'bbbbb']
  let turn = 0
  const change = () => { writeFileSync(join(template, 'text'), texts[turn++ % 2]) }
  change()
  const changing = setInterval(change, 30)
  const known = new Map()
  for (let number = 1; number <= (isFull ? 6 : 4); number++) {
    const life = await cloud.start({ name: `t-${number}`, layers: [{ name: 'one', directory: template }] }).catch(() => undefined)
    if (life === undefined) continue
    const [id, text] = [await idOf(cloud, life.name), await docker('exec', cloud.nameOf(life.name), 'cat', 'text')]
    assert.equal(known.get(id) ?? text, text, 'one image, one content')
    known.set(id, text)
  }
  clearInterval(changing)
  for (const text of texts) {
    writeFileSync(join(template, 'text'), text)
    await cloud.start({ name: 'last-1', layers: [{ name: 'one', directory: template }] })
    assert.equal(await docker('exec', cloud.nameOf('last-1'), 'cat', 'text'), text)
  }
})

test('an image that nothing is made of any more is taken away, and one of a service that has ended stays', { skip }, async t => {
  const cloud = await opened(t, { timing: { kill: 500, look: 1000, lease: 1000, keepImage: 2000 } })
  const [life, gone] = [await cloud.start({ name: 'kept-1' }), await cloud.start({ name: 'gone-1', layers: [{ name: 'own', directory: join(cloud.directory, 'platforms') }] })]
  const images = [await idOf(cloud, 'kept-1'), await idOf(cloud, 'gone-1')]
  await Promise.all([life, gone].map(async one => await one.stop({ timeout: 0 })))
  await cloud.engine.discard('gone-1', { keep: false })
  const isThere = async id => await docker('image', 'inspect', '--format', 'x', id).catch(() => '') === 'x'
  await until('it is taken away', async () => !await isThere(images[1]))
  assert.ok(await isThere(images[0]))
})

test('an image that is not here is pulled, once, and one that nobody has is the fault of the platform', { skip }, async t => {
  const cloud = await opened(t)
  const name = `${registry}/games/told:latest`
  await docker('tag', here.image, name)
  await docker('push', name)
  await docker('rmi', '--force', name)
  // Another id: the one that is here would do.
  await docker('image', 'inspect', name).then(() => assert.fail('it is still here'), () => {})
  const words = []
  await Promise.all([1, 2].map(async number => await cloud.start({ name: `pulled-${number}`, image: { name, writable: false }, options: { progress: what => { words.push(`${number} ${what}`) } } })))
  assert.deepEqual(words.filter(word => word.includes('pulls')).sort(), [`1 pulls the image ${name}`, `2 pulls the image ${name}`])
  await assert.rejects(cloud.start({ name: 'none-1', image: { name: `${registry}/games/none:latest`, writable: false } }), { fault: 'definition' })
  assert.equal(await docker('ps', '--all', '--quiet', '--filter', `name=^/${cloud.nameOf('none-1')}$`), '', 'nothing is left of what could not start')
})

test('a program that is not there ends as a shell tells it', { skip }, async t => {
  const cloud = await opened(t)
  const life = await cloud.start({ name: 'none-1', command: 'there-is-no-such-program', args: [] })
  await until('it has ended', () => life.end)
  assert.deepEqual(life.end, { code: 127, signal: null })
})

test('a port that somebody else has is told as such, and a program that needs too much memory is', { skip }, async t => {
  const cloud = await opened(t)
  await cloud.start({ name: 'port-1', host: '127.0.0.1', port: 25_700 })
  await assert.rejects(cloud.start({ name: 'port-2', host: '127.0.0.1', port: 25_700 }), { fault: 'port' })
  const life = await cloud.start({ name: 'memory-1', command: 'node', args: ['--eval', 'const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))'], memory: { min: 16, max: 1 } })
  await until('it has ended', () => life.end)
  assert.deepEqual(life.end, { code: null, signal: 'SIGKILL', cause: 'it needed more memory than it may have' })
})

test('a second core on the same cloud is refused, from another directory too; when the first is gone it goes on with what runs', { skip }, async t => {
  const cloud = await opened(t)
  const life = await cloud.start({ name: 'mine-1' })
  const other = await createCloud({ cloud: cloud.cloud })
  await assert.rejects(async () => await other.engine.find(), { code: 'CLOUD_ERR_DIRECTORY_IN_USE', message: /^Another core looks after the cloud .* stop it first/ })
  await other.engine.close()
  await cloud.engine.close()
  const third = await createCloud({ cloud: cloud.cloud })
  t.after(async () => { await third.close() })
  const [found, ...more] = await third.engine.find()
  assert.deepEqual([found.name, found.token, found.end, more.length], ['mine-1', life.token, undefined, 0])
})

test('a container that somebody else has made is none of the cloud, whatever its labels say', { skip }, async t => {
  const cloud = await opened(t)
  await cloud.start({ name: 'mine-1' })
  await docker('run', '--detach', '--name', `stranger-${process.pid}`, '--label', `fastify-cloud.cloud=${cloud.cloud}`, '--label', 'fastify-cloud.service=mine-2', '--label', `fastify-cloud.token=${'0'.repeat(32)}`, here.image, 'sleep', '1000')
  t.after(async () => { await docker('rm', '--force', `stranger-${process.pid}`).catch(() => {}) })
  // Made of an image of ours, it has the labels of that.
  await docker('run', '--detach', '--name', `other-${process.pid}`, '--entrypoint', 'sleep', await idOf(cloud, 'mine-1'), '1000')
  t.after(async () => { await docker('rm', '--force', `other-${process.pid}`) })
  const again = await cloud.reopen()
  assert.deepEqual((await again.find()).map(({ name }) => name), ['mine-1'])
})

test('a start that comes although it was given up is ended', { skip }, async t => {
  const cloud = await opened(t)
  await cloud.start({ name: 'mine-1' })
  const labels = { cloud: cloud.cloud, service: 'late-1', token: '0'.repeat(32) }
  // As the engine would begin it that has taken too long to answer.
  await docker('run', '--detach', '--name', cloud.nameOf('late-1'), ...Object.entries(labels).flatMap(([key, value]) => ['--label', `fastify-cloud.${key}=${value}`]), here.image, 'sleep', '1000')
  await until('it is ended', async () => await docker('ps', '--all', '--quiet', '--filter', `name=^/${cloud.nameOf('late-1')}$`) === '')
  assert.notEqual(await docker('ps', '--quiet', '--filter', `name=^/${cloud.nameOf('mine-1')}$`), '')
})

test('what a service uses is told, in percent of the machine and in MB', { skip }, async t => {
  const cloud = await opened(t)
  const life = await cloud.start({ name: 'busy-1', command: 'node', args: ['--eval', 'for (;;);'] })
  const told = []
  life.watch(event => told.push(event))
  const { cpu, memory } = await until('usage is told', () => told.find(event => event.kind === 'usage' && event.cpu > 1))
  assert.ok(cpu <= 100 && memory > 5 && memory < 400, `${cpu} %, ${memory} MB`)
})

test('cores that begin at once in one network make it once, and their services start in it', { skip }, async t => {
  for (const round of [1, 2, 3]) {
    const network = `shared-${process.pid}-${round}`
    const clouds = await Promise.all([1, 2, 3, 4].map(async () => await createCloud({ network })))
    t.after(async () => {
      for (const cloud of clouds) await cloud.close()
      await docker('network', 'rm', network)
    })
    await Promise.all(clouds.map(async ({ engine }) => { await engine.find() }))
    assert.match(await docker('network', 'ls', '--quiet', '--filter', `name=^${network}$`), /^\S+$/)
    const { host } = await clouds[0].start({ name: 'here-1' })
    assert.match(host, /^\d+\.\d+\.\d+\.\d+$/)
    assert.notEqual(host, '127.0.0.1')
  }
})

test('whatever is typed at once is read, whole and in order, while the engine is busy with other things', { skip }, async t => {
  const way = join(directory, `typed-${process.pid}.sock`)
  // Nothing goes on to the engine before the turn is over in which all is typed.
  const server = createServer(socket => {
    const other = connect(here.socket)
    for (const [one, its] of [[socket, other], [other, socket]]) one.on('error', () => {}).on('close', () => { its.destroy() }).pipe(its)
  }).listen(way)
  await once(server, 'listening')
  const cloud = await opened(t, { engine: { socketPath: way } })
  t.after(() => { server.close() })
  const life = await cloud.start({ name: 'typed-1', command: 'sh', args: ['-c', 'echo ready; exec cat'] })
  await cloud.ready(life)
  const text = []
  await life.follow(({ bytes }) => { text.push(Buffer.from(bytes)) }, { from: 'start', whole: () => true, signal: new AbortController().signal })
  const lines = Array.from({ length: 1000 }, (_, number) => `line ${number}`)
  assert.ok(await life.write('the first'))
  assert.ok((await Promise.all(lines.map(async line => await life.write(line)))).every(Boolean))
  await until('all is read', () => Buffer.concat(text).toString().includes('line 999\n'))
  assert.deepEqual(Buffer.concat(text).toString().split('\n'), ['ready', 'the first', ...lines, ''])
})

test('a core that ends leaves no sign of life behind for which another one would wait, also when one was on its way', { skip }, async t => {
  for (let round = 1; round <= 10; round++) {
    const cloud = await createCloud({ timing: { lease: 10 } })
    t.after(async () => { await cloud.close() })
    await cloud.engine.find()
    await new Promise(resolve => setTimeout(resolve, 20 + round))
    await cloud.engine.close()
    assert.equal(await docker('volume', 'ls', '--quiet', '--filter', `label=fastify-cloud.cloud=${cloud.cloud}`), '')
  }
})
