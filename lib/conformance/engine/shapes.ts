/** What a life and its events look like. */
import assert from 'node:assert/strict'
import type { End, LifeEvent, Plan, Running } from '../../../types/engine.js'
import { same, show } from '../suite.js'

/** No service has more, in MB: what is more is in bytes. */
const MOST_MB = 1e7
/** In 1973: what is less is in seconds. */
const LEAST_MS = 1e11

/** A life as its plan had it. */
export function life (given: Running, plan: Plan): void {
  const { name, token, note, host, port, startedAt } = given
  same({ name, token }, { name: plan.name, token: plan.token }, 'a life must have the name and the token of its plan')
  if (note !== undefined) same(note, plan.note, 'a life must have the note of its plan, as it was')
  assert.ok(typeof host === 'string' && host !== '', `the host of ${name} must be where it can be reached, and is ${show(host)}`)
  assert.ok(Number.isInteger(port) && port >= 0 && port <= 65_535, `the port of ${name} must be from 0 to 65535, and is ${show(port)}`)
  assert.ok(typeof startedAt === 'number' && startedAt >= LEAST_MS, `the startedAt of ${name} must be in milliseconds since the epoch, and is ${show(startedAt)}`)
}

/** How a life ended: with a code, by a signal, or nobody saw it. */
export function end (given: End | undefined): asserts given is End {
  assert.ok(given !== undefined, 'a life that has ended must have its end')
  const { code, signal } = given
  assert.ok(code === null || Number.isInteger(code), `the code of an end must be a number or null, and is ${show(code)}`)
  assert.ok(signal === null || /^SIG[A-Z0-9]+$/.test(signal), `the signal of an end must have its name or be null, and is ${show(signal)}`)
  assert.ok(code === null || signal === null, `what a signal has ended has no code: ${show(given)}`)
}

/** An event, at the moment at which it is told. */
export function event (given: LifeEvent, { name, end: how }: Running, before: readonly LifeEvent[]): void {
  switch (given.kind) {
    case 'ended':
      end(how)
      assert.ok(before.filter(({ kind }) => kind === 'ended').length === 1, `the end of ${name} must be told once`)
      return
    case 'usage': {
      const { cpu, memory } = given
      assert.ok(cpu >= 0 && cpu <= 100, `the cpu of ${name} must be percent of its machine, and is ${show(cpu)}`)
      assert.ok(memory >= 0 && memory < MOST_MB, `the memory of ${name} must be in MB, and is ${show(memory)}`)
      return
    }
    case 'players':
      assert.ok(Array.isArray(given.players) && given.players.every(({ name, uuid }) => typeof name === 'string' && typeof uuid === 'string'), `players must have names and uuids: ${show(given)}`)
      assert.ok(Number.isInteger(given.slots) && typeof given.motd === 'string', `players come with slots and a motd: ${show(given)}`)
      return
    case 'ready': return
    default: assert.fail(`there is no event ${show(given)}`)
  }
}

export function manner (given: unknown): void {
  assert.ok(['asked', 'terminated', 'killed'].includes(given as string), `stop must answer what it took, 'asked', 'terminated' or 'killed', and answered ${show(given)}`)
}
