/** Makes requests: as many as a contender can answer, or one every few milliseconds whatever comes back. */
import { Agent, get, request } from 'node:http'
import { median, percentile } from './figures.js'
import { press } from './pressure.js'

export const rounds = 9
const seconds = 1
const warmUpSeconds = 2

/** Sends one request and answers all of it. No user agent is named, so that a token is bound to none. */
export function ask (url, { method = 'GET', headers = {}, body, agent } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method, agent, headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) }
    }, response => {
      const chunks = []
      response.on('data', chunk => { chunks.push(chunk) })
      response.on('end', () => { resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() }) })
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** @throws Error unless all give the same answer, byte for byte, with the same status */
export async function compareAnswers (contenders) {
  const [first, ...others] = await Promise.all(contenders.map(({ url, headers }) => ask(url, { headers })))
  if (first.status !== 200) throw new Error(`${contenders[0].url} answers ${first.status}: ${first.body.slice(0, 200)}`)
  for (const [index, { status, body }] of others.entries()) {
    if (status !== first.status || body !== first.body) {
      throw new Error(`${contenders[index + 1].url} (${status}) answers something else:\n${body.slice(0, 300)}\n${first.body.slice(0, 300)}`)
    }
  }
}

/** Loads one contender and answers its CPU per request, in microseconds. */
async function cost ({ contender, url, headers, connections = 16 }, seconds) {
  const before = contender.cpu()
  const answered = await press(url, headers, { connections, seconds })
  return (contender.cpu() - before) * 1e6 / answered
}

/**
 * Interleaved rounds: all contenders are up, one is loaded at a time, and each round begins with another one.
 * Answers for each the CPU per request of every round.
 */
export async function interleave (contenders) {
  for (const one of contenders) await cost(one, warmUpSeconds)
  const costs = contenders.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const index = (round + turn) % contenders.length
      costs[index].push(await cost(contenders[index], seconds))
    }
  }
  for (const [index, { url }] of contenders.entries()) console.log(`    ${median(costs[index]).toFixed(1).padStart(9)} us of CPU a request: ${contenders[index].name ?? url}`)
  return costs
}

/** Round by round, how many times dearer the first is than the second. */
export function ratios (dear, cheap) {
  return dear.map((value, round) => value / cheap[round])
}

/**
 * One GET every `every` ms for `ms` milliseconds, whether the ones before have been answered or not. Answers the p99 of
 * the time from when each was sent.
 */
export async function steadyP99 (url, headers, { every = 5, ms = 1_000 } = {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const times = []
  const pending = []
  const start = performance.now()
  for (let sent = 0; sent * every < ms; sent++) {
    const due = start + sent * every
    const wait = due - performance.now()
    if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait))
    const answered = new Promise((resolve, reject) => {
      const from = performance.now()
      get(url, { agent, headers }, response => {
        if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`))
        response.resume()
        response.on('end', () => {
          times.push(performance.now() - from)
          resolve()
        })
      }).on('error', reject)
    })
    // Whoever waits for all of them hears of it.
    answered.catch(() => {})
    pending.push(answered)
  }
  await Promise.all(pending)
  agent.destroy()
  return percentile(times, 99)
}
