/**
 * What the bundled proxy adds to a connection, as a ratio to the same connection without it. Run by hand, on a quiet
 * machine: `node test/bench/gate.js`; half a minute. Exits 1 when a figure misses its goal by more than a tenth, a
 * latency by more than double. Gate, server and load are processes of their own.
 */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { figure, median, percentile, show } from './figures.js'

const file = fileURLToPath(import.meta.url)
const program = fileURLToPath(new URL('../../examples/standalone/platforms/gate/server.js', import.meta.url))
const host = '127.0.0.1'
const rounds = 7

/** Two packets of a client, a handshake and a login start, both short enough for lengths of one byte. */
const greeting = Buffer.from('0f002f093132372e302e302e3163dd02' + '0700055374657665', 'hex')
const hello = Buffer.from([2, 2, 0])

/** Says hello to a greeting, and then does what the next byte asks for: `e` echoes, `s` swallows, any other sends so many MB. */
function serve () {
  const chunk = Buffer.alloc(64 * 1024)
  const server = createServer({ noDelay: true }, socket => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(hello)
      socket.once('data', bytes => {
        const mode = bytes[0]
        if (mode === 0x65) {
          socket.write(bytes.subarray(1))
          return socket.on('data', more => socket.write(more))
        }
        if (mode === 0x73) return socket.resume()
        let left = mode * 16
        const send = () => {
          while (left > 0) {
            left--
            if (!socket.write(chunk)) return
          }
        }
        socket.on('drain', send)
        send()
      })
    })
  })
  server.listen(0, host, () => process.send(server.address().port))
  process.on('disconnect', () => process.exit(0))
}

async function measure () {
  const directory = mkdtempSync(join(tmpdir(), 'gate-bench-'))
  const backend = fork(file, ['server'])
  const [direct] = await once(backend, 'message')
  writeFileSync(join(directory, 'servers.json'), JSON.stringify({ servers: [{ name: 'server-1', host, port: direct, fallback: true }] }))
  const gate = await startGate(directory)
  try {
    const rows = [
      () => throughput(direct, gate, 1), () => throughput(direct, gate, 20), () => latency(direct, gate),
      () => load(gate), () => memory(gate), () => joins(gate)
    ]
    for (const row of rows) {
      for (const one of await row()) {
        console.log(show(one))
        if (one.verdict === 'MISSED') process.exitCode = 1
      }
    }
  } finally {
    backend.disconnect()
    gate.child.kill()
    await once(gate.child, 'exit')
    rmSync(directory, { recursive: true, force: true })
  }
}

async function startGate (directory) {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  const child = spawn(process.execPath, [program], {
    cwd: directory, env: { SERVICE_PORT: String(port), SERVICE_MAX_PER_ADDRESS: '0' }, stdio: ['pipe', 'pipe', 'inherit']
  })
  for await (const text of child.stdout.iterator({ destroyOnReturn: false })) if (String(text).includes('Done (')) break
  child.stdout.resume()
  return { child, port }
}

/** A connection that has been let in and has asked for `mode`. */
async function enter (port, mode) {
  const socket = connect({ port, host, noDelay: true })
  socket.write(greeting)
  await once(socket, 'data')
  socket.write(Buffer.from([mode]))
  return socket
}

/** MB/s from the server to so many clients, through gate in relation to without. */
async function throughput (direct, gate, clients) {
  const megabytes = Math.floor(200 / clients)
  const run = async port => {
    const began = performance.now()
    await Promise.all(Array.from({ length: clients }, async () => {
      const socket = await enter(port, megabytes)
      let size = 0
      await new Promise(resolve => socket.on('data', ({ length }) => {
        size += length
        if (size === megabytes * 1024 * 1024) resolve()
      }))
      socket.destroy()
    }))
    return megabytes * clients / (performance.now() - began) * 1000
  }
  const [ratios, absolute] = [[], []]
  await run(gate.port)
  for (let round = 0; round < rounds; round++) {
    const without = await run(direct)
    absolute.push(await run(gate.port))
    ratios.push(absolute.at(-1) / without)
  }
  return [
    figure(`throughput to ${clients} clients, against a direct connection`, ratios, { atLeast: 0.25 }),
    figure(`throughput to ${clients} clients`, absolute, { atLeast: 200, unit: ' MB/s' })
  ]
}

/** Milliseconds that a packet of 64 bytes takes to the server and back, through gate and without, turn by turn. */
async function latency (direct, gate) {
  const sockets = await Promise.all([direct, gate.port].map(async port => await enter(port, 0x65)))
  const packet = Buffer.alloc(64)
  const trip = async socket => {
    const began = performance.now()
    socket.write(packet)
    await once(socket, 'data')
    return performance.now() - began
  }
  for (let turn = 0; turn < 500; turn++) for (const socket of sockets) await trip(socket)
  const added = { half: [], p99: [] }
  for (let round = 0; round < rounds; round++) {
    const times = [[], []]
    for (let turn = 0; turn < 500; turn++) for (const [index, socket] of sockets.entries()) times[index].push(await trip(socket))
    added.half.push(median(times[1]) - median(times[0]))
    added.p99.push(percentile(times[1], 99) - percentile(times[0], 99))
  }
  for (const socket of sockets) socket.destroy()
  return [
    figure('added to a round trip of 64 bytes, median', added.half, { atMost: 0.1, unit: ' ms' }),
    figure('added to a round trip of 64 bytes, p99', added.p99, { atMost: 1, unit: ' ms', isP99: true })
  ]
}

/** Percent of a core for 200 players, of whom each gets and sends 20 packets of 128 bytes a second. */
async function load ({ child, port }) {
  const sockets = await Promise.all(Array.from({ length: 200 }, async () => (await enter(port, 0x65)).resume()))
  const packet = Buffer.alloc(128)
  const timer = setInterval(() => { for (const socket of sockets) socket.write(packet) }, 50)
  await pause(1000)
  const shares = []
  for (let round = 0; round < 3; round++) {
    const before = cpuMs(child.pid)
    await pause(2000)
    shares.push((cpuMs(child.pid) - before) / 20)
  }
  clearInterval(timer)
  for (const socket of sockets) socket.destroy()
  return [figure('200 players, 20 packets a second each way', shares, { atMost: 40, unit: ' %' })]
}

/** KB of resident memory for each player more. */
async function memory ({ child, port }) {
  await pause(500)
  const sizes = []
  for (let round = 0; round < 3; round++) {
    const before = residentKB(child.pid)
    const sockets = []
    for (let batch = 0; batch < 10; batch++) {
      sockets.push(...await Promise.all(Array.from({ length: 100 }, async () => (await enter(port, 0x65)).resume())))
    }
    await pause(500)
    sizes.push((residentKB(child.pid) - before) / 1000)
    for (const socket of sockets) socket.destroy()
    await pause(500)
  }
  // What the first round took is there for the next ones.
  return [figure('memory for a player, of 1,000', [Math.max(...sizes)], { atMost: 40, unit: ' KB' })]
}

/** Joins a second, from the connection to the first byte of the server. */
async function joins ({ port }) {
  const rates = []
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    let left = 500
    await Promise.all(Array.from({ length: 20 }, async () => {
      while (left-- > 0) (await enter(port, 0x73)).destroy()
    }))
    rates.push(500 / (performance.now() - began) * 1000)
  }
  return [figure('joins, one after the other in 20 rows', rates, { atLeast: 500, unit: '/s' })]
}

/** Milliseconds of CPU that a process has used, in ticks of 10. */
function cpuMs (pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const residentKB = pid => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1])

if (process.argv[2] === 'server') serve()
else await measure()
