/**
 * `fastify-cloud console <service> [username]`, in a clone `npm run console -- …`:
 * logs in, follows the console of a service, and sends what is typed.
 * The interface is that of the server of CLOUD_DIRECTORY, or CLOUD_URL; the password is asked for, or taken from CLOUD_PASSWORD.
 */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { WebSocket } from 'ws'
import { misuse, readWords } from './help.js'
import { shown } from './printable.js'
import { readSettings } from './settings.js'
import { whichCloud } from './which-cloud.js'

const usage = `Usage: fastify-cloud console <service> [username]

  follows the console of a service, and sends what is typed. It logs in as admin, or as that user: CLOUD_PASSWORD is the password,
  or it is asked for. The cloud is that of the server which runs on CLOUD_DIRECTORY; where that is not said, the one at HOST, PORT
  and CLOUD_PREFIX; where TLS or another machine is in between, CLOUD_URL (https://cloud.example.com) says where it is.`

// A token is tied to the agent that it was issued to, so everything here has to say the same name.
const agent = { 'user-agent': 'fastify-cloud console' }

/** Asks without showing what is typed. */
async function askPassword (username) {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  process.stderr.write(`Password of ${username}: `)
  const lines = createInterface({ input: process.stdin, output: hidden, terminal: process.stdin.isTTY })
  const ended = new AbortController()
  lines.once('close', () => ended.abort())
  try {
    return await lines.question('', { signal: ended.signal })
  } catch {
    throw new Error('No password was typed. Where nobody can type, CLOUD_PASSWORD has it')
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}

let url

async function send (method, path, body, cookie) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...agent, 'content-type': 'application/json', ...(cookie && { cookie }) },
    body: JSON.stringify(body)
  }).catch(error => { throw new Error(`${url} cannot be reached: ${error.cause?.message || error.message}`) })
  if (!response.ok) throw new Error((await response.json()).message)
  return response.headers.getSetCookie()[0]?.split(';')[0]
}

function follow (service, cookie) {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/service/${encodeURIComponent(service)}/screen`, {
    headers: { ...agent, cookie }
  })
  socket.on('message', line => console.log(shown(String(line))))
  socket.on('unexpected-response', (_request, { statusCode }) => fail(new Error(statusCode === 404 ? `There is no service ${service}` : `The console is refused: ${statusCode}`)))
  socket.on('error', fail)
  socket.on('close', (code, reason) => fail(new Error(`The console is closed: ${String(reason) || (code === 1006 ? 'the server has ended, or cannot be reached' : code)}`)))
}

function fail (error) {
  console.error(error.message)
  process.exit(1)
}

const { words: [service, username = 'admin', ...rest] } = readWords(usage) ?? misuse(usage)
if (service === undefined || rest.length > 0) misuse(usage)

try {
  const isNamed = (process.env.CLOUD_DIRECTORY ?? '') !== ''
  const cloud = await whichCloud(readSettings(), { isNamed, tell: () => { console.error('waiting for the server …') } })
  url = cloud.url
  // Before anybody types a password, or a line that another cloud would get.
  console.error(shown(`The console of ${service} at ${url}, ${cloud.whose}`))
  const password = process.env.CLOUD_PASSWORD ?? await askPassword(username)
  const cookie = await send('POST', '/auth/login', { username, password })
  follow(service, cookie)
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue
    await send('POST', `/service/${encodeURIComponent(service)}/command`, { command: line }, cookie)
      .catch(error => console.error(error.message))
  }
} catch (error) {
  fail(error)
}
