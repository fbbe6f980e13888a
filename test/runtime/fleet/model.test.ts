/**
 * Whatever is asked of a cloud and whatever happens to it, what its operator was promised holds. MODEL_SEED and MODEL_PATH give
 * a failure again, as fast-check has printed them; MODEL_RUNS is how many sequences are tried.
 */
import fc from 'fast-check'
import t from 'tap'
import { newSeed, rounds } from '../../fixtures/rounds.js'
import { sequences, tryOut, type Sequence } from './sequence.js'

t.setTimeout(6 * 3_600_000)

/** What was found, as it was shrunk. */
const found: Readonly<Record<string, Sequence>> = {
  'a service that is killed while its group is deleted goes with it': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [['create', 'a', 'ping', [1, 3, 50, false]], ['delete', 'a'], ['kill', 'a-1'], ['pass', 4_000]]
  },
  'a port that a service gives up for another is not listed twice': {
    world: { latencyMs: 40, endedFirst: false },
    steps: [['create', 'a', 'ping', [1, 3, 50, false]], ['create', 'b', 'word', [3, 3, 0, false]], ['fault', 'slow', 70_000], ['stranger', 0], ['pass', 35_000]]
  },
  'the place of a restart counts from the moment it is given': {
    world: { latencyMs: 40, endedFirst: false },
    steps: [['create', 'a', 'ping', [1, 3, 50, false]], ['pass', 70_000], ['kill', 'a-1'], ['restart', 'a-1'], ['roll', 'a'], ['pass', 1_100]]
  },
  'the place of a start counts from the moment it is decided': {
    world: { latencyMs: 40, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['create', 'b', 'word', [2, 4, 0, false]], ['behave', 'a', 0, 100, 0], ['pass', 4_000],
      ['kill', 'a-1'], ['start', 'a'], ['kill', 'b-1'], ['pass', 4_000]
    ]
  },
  'what is not ready in time and cannot be ended is tried again': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [['create', 'a', 'ping', [1, 3, 50, false]], ['behave', 'a', Infinity, Infinity, 0], ['die', 'a-1'], ['fault', 'stops', 35_000], ['start', 'a-1'], ['pass', 35_000]]
  },
  'the restart of a group leaves alone what has begun anew meanwhile': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['create', 'b', 'word', [2, 2, 0, false]], ['behave', 'b', Infinity, Infinity, 0],
      ['pass', 4_000], ['roll', 'b'], ['pass', 1], ['die', 'a-1']
    ]
  },
  'a service that becomes ready before the turn of its restart is restarted, and that of its group goes on': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['roll', 'a'], ['crash', 0, 0], ['fault', 'away', 12_000], ['start', 'a'], ['roll', 'a'], ['pass', 12_000],
      ['crash', 1, 0], ['create', 'a', 'word', [0, 1, 0, false]], ['edit', 'b', [0, 1, 0, false]], ['create', 'a', 'word', [0, 1, 0, false]]
    ]
  },
  'a restart that was asked for while its machines are away is not forgotten when the service becomes ready': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [['create', 'a', 'ping', [1, 1, 0, false]], ['fault', 'away', 4_000], ['restart', 'a-1'], ['pass', 4_000]]
  },
  'a service that dies before its turn in the restart of its group rests as after any other death': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['create', 'b', 'mute', [2, 2, 0, false]], ['behave', 'b', 0, 9_000, 0], ['pass', 4_000],
      ['roll', 'b'], ['pass', 1], ['die', 'b-1'], ['pass', 1], ['clock', -86_400_000]
    ]
  },
  'what has just ended is not reckoned with when others seem not to be needed': {
    world: { latencyMs: 6, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['pass', 35_000], ['players', 'a-1', 4], ['pass', 70_000], ['die', 'a-1'], ['fault', 'full', 1],
      ['write', 'a', undefined], ['clock', -86_400_000]
    ]
  },
  'what was down when the restart of its group began is not counted as ended by it': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['create', 'b', 'word', [2, 2, 0, false]], ['pass', 12_000],
      ['die', 'b-1'], ['roll', 'b'], ['roll', 'a'], ['start', 'a-1'], ['die', 'a-1']
    ]
  },
  'what dies for the fifth time while its group is being edited goes on with the edit': {
    world: { latencyMs: 40, endedFirst: false },
    steps: [
      ['behave', 'b', 0, 2_000, 0], ['create', 'b', 'word', [1, 1, 0, false]], ['pass', 35_600], ['die', 'b-1'], ['edit', 'b', [0, 1, 0, false]]
    ]
  },
  'the restart of a group goes on when a service of it is being restarted by name': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [['create', 'a', 'ping', [1, 1, 0, false]], ['pass', 4_000], ['restart', 'a-1'], ['pass', 300], ['roll', 'a']]
  }
}

for (const [title, sequence] of Object.entries(found)) {
  t.test(title, async t => {
    await tryOut(sequence)
    t.pass('every promise is kept')
  })
}

const count = Number(process.env['MODEL_RUNS'] ?? rounds(200, 5_000))
/** `npm test` repeats one seed, so that a change is judged by what it changed; the full rounds draw another one each time. */
const seed = Number(process.env['MODEL_SEED'] ?? newSeed())

t.test(`${count} random sequences keep every promise, MODEL_SEED=${seed}`, async t => {
  await fc.assert(fc.asyncProperty(sequences, tryOut), { numRuns: count, seed, ...(process.env['MODEL_PATH'] === undefined ? {} : { path: process.env['MODEL_PATH'] }) })
  t.pass(`${count} sequences`)
})
