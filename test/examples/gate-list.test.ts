/** The list of servers that the bundled proxy follows. */
import { execFileSync } from 'node:child_process'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { greeting, startBackend, startGate, textOf } from './gate-peer.js'
import { dial, logIn, ping, platforms } from './limbo-peer.js'
import { onlyFull } from '../fixtures/rounds.js'
import { scratchDirectory } from '../fixtures/scratch.js'
import { until } from '../fixtures/until.js'

t.setTimeout(600_000)

const slots = async (...[t, gate]: Parameters<typeof look>) => (await look(t, gate)).max
async function look (t: Parameters<typeof ping>[0], gate: { port: number }): Promise<{ online: number, max: number }> {
  return (await ping(t, gate.port)).status.players
}

t.test('gate starts without a list, and follows the file by itself', async t => {
  const gate = await startGate(t)
  t.equal(gate.count('WARN There is no servers.json; until there is one nobody can join'), 1)
  t.equal(await slots(t, gate), 0)
  for (const count of [1, 2, 3]) {
    gate.write(textOf(Array.from({ length: count }, (_, index) => ({ name: `s-${index}`, port: index + 1 }))))
    await until(async () => await slots(t, gate) === count * 20, `${count} servers are known`)
  }
  rmSync(gate.file)
  await gate.sees('WARN There is no servers.json; the last good one holds')
  t.equal(await slots(t, gate), 60)
  gate.write(textOf([]))
  await gate.sees('INFO servers.json lists 0 servers')
  t.equal(await slots(t, gate), 0)
})

t.test('a list on a file system that does not answer keeps nobody from joining', async t => {
  const backend = await startBackend(t)
  const gate = await startGate(t, [{ name: 'lobby-1', port: backend.port }])
  execFileSync('mkfifo', [`${gate.file}.new`])
  renameSync(`${gate.file}.new`, gate.file)
  // It hangs in the file by then, and the next look is overdue.
  await new Promise(resolve => setTimeout(resolve, 2000))
  const peer = await logIn(t, gate.port, 'Steve')
  await peer.next(0x02)
})

t.test('a damaged list changes nothing, is said once, and the next good one is taken', async t => {
  const good = [{ name: 'lobby-1', port: 1 }]
  const text = textOf(good)
  const damaged = {
    empty: '',
    half: text.slice(0, text.length / 2),
    'an array': '[]',
    null: 'null',
    'another version': textOf({ servers: [{ name: 'x', port: 1 }], version: 2 }),
    'no servers': '{"version":1}',
    'only wrong servers': '{"servers":[{"name":"x"},5,null,{"name":"y","host":"h","port":70000}]}',
    'deep nesting': '['.repeat(100_000),
    'much too long': ' '.repeat(17 * 1024 * 1024)
  }
  for (const [name, wrong] of Object.entries(damaged)) {
    const gate = await startGate(t, good)
    gate.write(wrong)
    gate.tell('reload')
    await until(() => gate.count('WARN servers.json cannot be used: ') === 1, `${name} is said`)
    t.match(gate.log(), '; the last good one holds', name)
    t.equal(await slots(t, gate), 20, name)
    writeFileSync(gate.file, wrong)
    for (let round = 0; round < 3; round++) gate.tell('reload')
    gate.write(textOf([...good, { name: 'lobby-2', port: 2 }]))
    await gate.sees('INFO servers.json lists 2 servers')
    t.equal(gate.count('cannot be used'), 1, name)
    gate.tell('end')
    await gate.exit()
  }
})

t.test('what is wrong again so soon that nothing is said is said later, as long as it is', { skip: onlyFull('20 s') }, async t => {
  const good = [{ name: 'lobby-1', port: 1 }]
  const gate = await startGate(t, good)
  for (const [wrong, said] of [
    ['', 'WARN servers.json cannot be used: '],
    [textOf([...good, { name: 'nowhere', port: 0 }]), 'WARN servers.json: 1 entries are left out; servers[1] has no port']
  ] as const) {
    for (let count = 1; count <= 2; count++) {
      gate.write(wrong)
      await until(() => gate.count(said) === count, `${said} ${count}`)
      await gate.relist([...good, { name: `lobby-${count + 1}`, port: 2 }])
    }
  }
})

t.test('wrong entries are left out and said, unknown fields ignored, odd values read as none', async t => {
  const right = { name: 'lobby-1', host: '127.0.0.1', port: 1, slots: 20, players: 3, colour: 'red', state: { deep: [] } }
  const gate = await startGate(t)
  gate.write(JSON.stringify({
    version: 1,
    revision: 'x',
    servers: [right, { ...right, slots: 5 }, { ...right, name: 'no-port', port: '25565' }, 'x', { ...right, name: 'nul', host: 'a\0b' },
      { ...right, name: 'odd', players: -5, slots: '7', fallback: 'yes', parked: 1 }],
    try: 'lobby-1',
    forcedHosts: ['lobby-1'],
    sample: [{ name: 'x'.repeat(33), id: 'y' }, null, { name: 'Ann', id: 'z', more: 1 }]
  }))
  await gate.sees('WARN servers.json: 4 entries are left out; servers[1] has the name of another')
  t.strictSame(await gate.shown(), [
    'lobby-1 127.0.0.1:1, 3 of 20 players, 0 through this gate', 'odd 127.0.0.1:1, 0 of 0 players, 0 through this gate'
  ])
  t.strictSame((await ping(t, gate.port)).status.players, { max: 20, online: 3, sample: [{ name: 'Ann', id: 'z' }] })
})

t.test('thousands of servers that are rewritten without a pause leave time for the players, and the last list is the one that holds', async t => {
  const backend = await startBackend(t, socket => {
    socket.on('data', bytes => { socket.write(bytes) })
  })
  const lobby = { name: 'lobby-1', port: backend.port }
  const many = (round: number) => [lobby, ...Array.from({ length: 5000 }, (_, index) => (
    { name: `s-${index}-${round}`, port: index + 1, host: '127.0.0.2', players: 100 }))]
  const gate = await startGate(t, many(0))
  const player = await dial(t, gate.port)
  player.socket.write(greeting('Steve'))
  await player.next(0)
  const texts = [1, 2].map(round => textOf(many(round)))
  // A second and a half, and longer where other processes keep this one from running.
  const clock = { ticks: 0 }
  const ticking = setInterval(() => { clock.ticks++ }, 10)
  t.teardown(() => { clearInterval(ticking) })
  let [rewritten, echoed] = [0, 0]
  while (clock.ticks < 140) {
    gate.write(texts[rewritten++ % 2]!)
    player.send(7, 'x')
    await player.next(7)
    echoed++
  }
  t.comment(`${rewritten} lists, ${echoed} answers`)
  t.ok(echoed > 50, 'the player is answered meanwhile')
  gate.write(textOf([lobby, { name: 'last', port: 2, slots: 5 }]))
  await until(async () => await slots(t, gate) === 25, 'the last list holds')
  t.equal((await gate.shown()).length, 2, 'what is gone is forgotten')
  t.notMatch(gate.log(), 'WARN')
})

t.test('players who keep gate busy do not keep it from its list', async t => {
  const file = join(scratchDirectory(t), 'servers.json')
  let port = 1
  const write = () => {
    writeFileSync(`${file}.new`, textOf([{ name: 'lobby-1', port }]))
    renameSync(`${file}.new`, file)
  }
  write()
  const { followList } = await import(join(platforms, 'gate/follow.js'))
  let isBusy = true
  t.teardown(() => { isBusy = false })
  const work = () => {
    const until = performance.now() + 50
    while (performance.now() < until);
    if (isBusy) setImmediate(work)
  }
  let taken = 0
  await followList(file, (list: { servers: Array<{ port: number }> }) => {
    taken = list.servers[0]!.port
  })
  setImmediate(work)
  const began = performance.now()
  while (port < 6) {
    port++
    write()
    await until(() => taken === port, 'the next list is taken')
  }
  t.ok(performance.now() - began < 10_000, `${performance.now() - began} ms`)
})

t.test('a file that is written in place is taken when it is whole', async t => {
  const gate = await startGate(t, [])
  const text = textOf([{ name: 'lobby-1', port: 1 }])
  writeFileSync(gate.file, text.slice(0, 30))
  await until(() => gate.count('cannot be used') === 1, 'the half is seen')
  writeFileSync(gate.file, text)
  await until(async () => await slots(t, gate) === 20, 'the whole is taken')
})
