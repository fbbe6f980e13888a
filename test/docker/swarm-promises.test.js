/** What docs/docker.md promises of services on a Swarm, tried on three real engines. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCloud } from './cloud.js'
import { dockerAt, here, hosts, registry, skipSwarm as skip } from './given.js'
import { containersOf, createSwarmCloud, image, nodes } from './swarm-cloud.js'
import { until } from './until.js'

async function opened (t, more) {
  const cloud = await createSwarmCloud(more)
  t.after(async () => { await cloud.close() })
  await cloud.engine.find()
  return cloud
}

const inspect = async (host, id) => JSON.parse(await dockerAt(host, 'inspect', id))[0]
const availability = async (host, what) => { await dockerAt(here, 'node', 'update', '--availability', what, host.name) }
const hostOf = life => hosts.find(({ address }) => address === life.host)

test('a service of a Swarm has no rights but those that it needs, and the limits of its group', { skip }, async t => {
  const { cloud, start } = await opened(t)
  const life = await start({ name: 'safe-1', port: 25_801, memory: { min: 64, max: 512 }, cpu: 1.5, pids: 77 })
  const [{ host, id }] = await containersOf(cloud, 'safe-1')
  const { HostConfig: has, Config: config, Mounts: mounts } = await inspect(host, id)
  assert.deepEqual([has.Privileged, has.CapDrop, has.ReadonlyRootfs, has.Binds, config.User, has.PidMode, has.Devices, has.RestartPolicy.Name], [false, ['ALL'], true, null, '1000:1000', '', null, ''])
  assert.deepEqual([has.Memory, has.NanoCpus, has.PidsLimit], [768 * 1024 ** 2, 1.5e9, 77])
  assert.deepEqual(mounts.map(({ Type, Destination }) => [Type, Destination]).sort(), [['volume', '/service'], ['volume', '/tmp']])
  assert.match(config.Image, new RegExp(`^${registry}/${cloud}@sha256:[0-9a-f]{64}$`), 'the same for every node')
  assert.match(await dockerAt(host, 'exec', id, 'grep', '-E', 'CapEff|CapBnd', '/proc/1/status'), /^CapEff:\t0+\nCapBnd:\t0+$/)
  await assert.rejects(dockerAt(host, 'exec', id, 'sh', '-c', 'echo x > /platform/told.mjs'), /Read-only file system/)
  assert.equal(life.host, host.address, 'it is told where it is reached')
})

test('texts of a platform are laid before its program begins, those with secrets for its user only, and none of them is in an image', { skip }, async t => {
  const { cloud, start, plan } = await opened(t)
  const files = { 'config/secret.txt': '${secret:forwarding}', 'plain.txt': 'plain', empty: '' } // eslint-disable-line no-template-curly-in-string -- a placeholder of platforms
  await start({ name: 'texts-1', port: 25_802, files, values: { ...plan.values, 'secret:forwarding': 'quite-secret' } })
  const [{ host, id }] = await containersOf(cloud, 'texts-1')
  assert.equal(await dockerAt(host, 'exec', id, 'sh', '-c', 'cat config/secret.txt plain.txt empty; stat -c " %a %u" config/secret.txt plain.txt empty'), 'quite-secretplain 600 1000\n 644 1000\n 644 1000')
  const { Config: { Image: image } } = await inspect(host, id)
  await assert.rejects(dockerAt(host, 'run', '--rm', '--entrypoint', 'ls', image, '/service/config'), /No such file/)
})

test('a static service keeps its files and its node, waits for that while it is drained, and leaves them aside when it goes', { skip }, async t => {
  const cloud = await opened(t)
  const { start, engine, read, write } = cloud
  const life = await start({ name: 'static-1', port: 25_803, keep: true })
  const host = hostOf(life)
  await write('static-1', 'world', 'kept')
  await life.stop({ ask: { stdin: 'stop' }, timeout: 10_000 })
  t.after(async () => { await availability(host, 'active') })
  await availability(host, 'drain')
  await assert.rejects(start({ name: 'static-1', port: 25_803, keep: true }), error => error.fault === undefined && error.message === `its files are on the node ${host.name}, which is drained`)
  await availability(host, 'active')
  const again = await start({ name: 'static-1', port: 25_803, keep: true })
  assert.equal(again.host, life.host)
  assert.equal(await read('static-1', 'world'), 'kept')
  await again.stop({ ask: { stdin: 'stop' }, timeout: 10_000 })
  assert.equal(await engine.discard('static-1', { keep: true }), `${cloud.cloud}.static-1.1 on ${host.name}`)
  const fresh = await start({ name: 'static-1', port: 25_803, keep: true })
  assert.equal(await read('static-1', 'world'), undefined, 'a later one of that name has none of it')
  await fresh.stop({ timeout: 0 })
})

test('a node whose engine nobody has named: its consoles cannot be typed into, which is said; what is printed and how it ends is known all the same', { skip }, async t => {
  const told = []
  const cloud = await opened(t, { swarm: { registry, nodes: {} }, log: ({ level, message }) => { if (level === 'warn') told.push(message) } })
  await availability(here, 'drain')
  t.after(async () => { await availability(here, 'active') })
  const life = await cloud.start({ name: 'deaf-1', port: 25_804 })
  await cloud.ready(life)
  assert.equal(await life.write('print hello'), false)
  assert.deepEqual([life.files, life.signal], [undefined, undefined])
  assert.deepEqual(told, [`Consoles on ${hostOf(life).name} cannot be typed into, and usage there is not known: name its engine in swarm.nodes`])
  const ended = []
  life.watch(({ kind }) => ended.push(kind))
  const [{ host, id }] = await containersOf(cloud.cloud, 'deaf-1')
  await dockerAt(host, 'kill', id)
  await until('its end is told', () => ended.includes('ended'))
  assert.deepEqual(life.end, { code: null, signal: 'SIGKILL' })
  const other = await cloud.start({ name: 'deaf-1', port: 25_804 })
  assert.ok(['terminated', 'killed'].includes(await other.stop({ ask: { stdin: 'stop' }, timeout: 1000 })))
  assert.equal(await cloud.remains('deaf-1'), 0)
})

test('a port that somebody else has on every node is told as such, and so is a platform that names what nobody has', { skip }, async t => {
  const cloud = await opened(t)
  const other = await opened(t)
  await Promise.all([1, 2, 3].map(async number => await other.start({ name: `port-${number}`, port: 25_806 })))
  await assert.rejects(cloud.start({ name: 'port-4', port: 25_806 }), { fault: 'port' })
  await assert.rejects(cloud.start({ name: 'none-1', port: 25_807, image: { name: `${registry}/games/none:latest`, writable: false } }), { fault: 'definition' })
})

test('a second core on the same cloud is refused, from another directory and through another manager', { skip }, async t => {
  const cloud = await opened(t)
  const life = await cloud.start({ name: 'mine-1', port: 25_808 })
  const second = await createSwarmCloud({ cloud: cloud.cloud, engine: nodes[hosts[1].name] })
  await assert.rejects(async () => await second.engine.find(), { code: 'CLOUD_ERR_DIRECTORY_IN_USE' })
  await second.engine.close()
  await cloud.engine.close()
  const third = await createSwarmCloud({ cloud: cloud.cloud, engine: nodes[hosts[2].name] })
  t.after(async () => { await third.close() })
  assert.deepEqual((await third.engine.find()).map(({ name, token, end }) => [name, token, end]), [['mine-1', life.token, undefined]])
})

test('from one engine to a Swarm: a static service finds the files that it had, and stays with them', { skip }, async t => {
  const before = await createCloud({ image })
  await before.engine.find()
  const life = await before.start({ name: 'world-1', port: 25_809, keep: true })
  await before.write('world-1', 'level.dat', 'as it was')
  await life.stop({ ask: { stdin: 'stop' }, timeout: 10_000 })
  await before.engine.close()
  const cloud = await opened(t, { cloud: before.cloud })
  const again = await cloud.start({ name: 'world-1', port: 25_809, keep: true })
  assert.equal(again.host, here.address)
  assert.equal(await cloud.read('world-1', 'level.dat'), 'as it was')
  await again.stop({ timeout: 0 })
  await before.close()
})

test('a node that was drained while there was no core: what it ran is begun elsewhere by the next one, and has the note of before', { skip }, async t => {
  const cloud = await opened(t)
  const life = await cloud.start({ name: 'moved-1', port: 25_810, note: { some: 'thing' } })
  const host = hostOf(life)
  await cloud.engine.close()
  t.after(async () => { await availability(host, 'active') })
  await availability(host, 'drain')
  await until('it is ended there', async () => await cloud.remains('moved-1') === 0)
  const engine = await cloud.reopen()
  const [found] = await engine.find()
  assert.equal(found.end, undefined)
  let told = false
  found.watch(({ kind }) => { told ||= kind === 'ended' })
  await until('it is told', () => told)
  const { successor, cause } = found.end
  assert.equal(cause, `${host.name} was to run it no longer`)
  assert.deepEqual([successor.name, successor.note, successor.end], ['moved-1', { some: 'thing' }, undefined])
  assert.ok(successor.host !== life.host && successor.token !== life.token)
  successor.watch(() => {})
  assert.equal(await cloud.remains('moved-1'), 1)
})
