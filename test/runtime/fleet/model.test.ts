/**
 * Whatever is asked of a cloud and whatever happens to it, what its operator was promised holds. MODEL_SEED and MODEL_PATH give
 * a failure again, as fast-check has printed them; MODEL_RUNS is how many sequences are tried.
 */
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { newSeed, rounds } from '../../fixtures/rounds.js'
import { tryOut, type Sequence } from './sequence.js'

t.setTimeout(6 * 3_600_000)
t.jobs = availableParallelism()

/** What was found, as it was shrunk. */
const found: Readonly<Record<string, Sequence>> = {
  'what was taken over and has not answered yet is not ended as if nobody were on it': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['crash', 21, 90_000], ['pass', 1_100], ['edit', 'a', [0, 1, 0, false]],
      ['players', 'a-1', 4], ['pass', 300], ['roll', 'a']
    ]
  },
  'a service that is killed while its group is deleted goes with it': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [['create', 'a', 'ping', [1, 3, 50, false]], ['delete', 'a'], ['kill', 'a-1'], ['pass', 4_000]]
  },
  'what is not needed goes, although another dies before its machine has heard of that': {
    world: { latencyMs: 6, endedFirst: false, ports: 40 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['create', 'b', 'ping', [3, 3, 0, false, undefined]], ['pass', 12_000], ['behave', 'b', 8_000, 9_000, 0],
      ['write', 'b', [1, 3, 0, false, undefined]], ['die', 'b-2'], ['crash', 0, 0], ['stranger', 0], ['die', 'a-1'], ['pass', 70_000], ['die', 'a-1']
    ]
  },
  'what ends while the next core is still being opened, as it was asked to, has no pause either': {
    world: { latencyMs: 0, endedFirst: false, ports: 40 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['create', 'b', 'word', [3, 3, 0, false, undefined]], ['lose', 'a'], ['pass', 35_000], ['crash', 6, 0],
      ['close', 'stop'], ['die', 'a-1'], ['edit', 'a', [0, 1, 0, false, undefined]], ['start', 'a-1']
    ]
  },
  'above the maximum of a group with ports of its own what is restarted comes back, also while another has players': {
    world: { latencyMs: 0, endedFirst: false, ports: 40 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['pass', 1_100], ['players', 'a-1', 4], ['pass', 12_000], ['players', 'a-3', 2],
      ['edit', 'a', [0, 1, 0, false, undefined]], ['pass', 1], ['pass', 1], ['write', 'a', [0, 1, 0, false, 1]]
    ]
  },
  'above the maximum of a group with ports of its own the last one that is ONLINE is restarted, as far as one before it comes or cannot': {
    world: { latencyMs: 0, endedFirst: false, ports: 40 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['stop', 'a-1'], ['pass', 35_000], ['write', 'a', [0, 1, 0, false, 0]], ['players', 'a-1', 4],
      ['start', 'a-1'], ['pass', 1], ['die', 'a-1'], ['crash', 0, 0]
    ]
  },
  'the first port comes back after a death while one above a lowered maximum has players': {
    world: { latencyMs: 6, endedFirst: false },
    steps: [['create', 'a', 'gate', [2, 2, 0, false, 0]], ['pass', 12_000], ['players', 'a-2', 1], ['edit', 'a', [1, 1, 0, false, 0]], ['pass', 4_000], ['die', 'a-1']]
  },
  'the first port comes back after a death while one above a lowered maximum has players, also where no service is needed': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [['create', 'a', 'gate', [2, 2, 0, false, 0]], ['pass', 12_000], ['players', 'a-2', 1], ['edit', 'a', [0, 1, 0, false, 0]], ['pass', 4_000], ['die', 'a-1']]
  },
  'the first port comes back after a stop by name while one above a lowered maximum has players': {
    world: { latencyMs: 6, endedFirst: false },
    steps: [['create', 'a', 'gate', [2, 2, 0, false, 0]], ['pass', 12_000], ['players', 'a-2', 1], ['edit', 'a', [1, 1, 0, false, 0]], ['pass', 4_000], ['stop', 'a-1']]
  },
  'the first port comes back when it is killed by name while others, as many as may be, have players': {
    world: { latencyMs: 0, endedFirst: true },
    steps: [
      ['create', 'a', 'gate', [3, 3, 0, false, 0]], ['pass', 12_000], ['players', 'a-2', 1], ['players', 'a-3', 1], ['edit', 'a', [1, 2, 0, false, 0]], ['pass', 4_000],
      ['kill', 'a-1']
    ]
  },
  'the first port comes back when it is stopped by name and a core ends amid that': {
    world: { latencyMs: 40, endedFirst: false },
    steps: [
      ['create', 'a', 'gate', [2, 2, 0, false, 0]], ['pass', 12_000], ['players', 'a-2', 1], ['edit', 'a', [1, 1, 0, false, 0]], ['pass', 4_000], ['crash', 3, 5_000],
      ['stop', 'a-1'], ['pass', 1_100], ['crash', 2, 0], ['die', 'a-1']
    ]
  },
  'the first world comes back after a death while one above a lowered maximum has players': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [['create', 'a', 'ping', [3, 3, 0, true]], ['pass', 12_000], ['players', 'a-3', 1], ['edit', 'a', [2, 2, 0, true]], ['pass', 4_000], ['die', 'a-1']]
  },
  'the first world comes back after a stop by name while one above a lowered maximum has players': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [['create', 'a', 'ping', [3, 3, 0, true]], ['pass', 12_000], ['players', 'a-3', 1], ['edit', 'a', [1, 1, 0, true]], ['pass', 4_000], ['stop', 'a-1'], ['stop', 'a-2']]
  },
  'the first port that has given up above a lowered maximum comes back when somebody has looked at it': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'a', 'gate', [2, 2, 0, false, 0]], ['pass', 12_000], ['players', 'a-2', 1], ['edit', 'a', [1, 1, 0, false, 0]], ['behave', 'a', 0, 100, 0], ['die', 'a-1'],
      ['pass', 70_000]
    ]
  },
  'the first port is there when a group whose first number has gone asks for one': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'a', 'word', [1, 3, 0, false]], ['pass', 4_000], ['roll', 'a'], ['pass', 12_000], ['players', 'a-2', 1], ['edit', 'a', [1, 1, 0, false, 0]]
    ]
  },
  'a damaged group is gone with its file': {
    world: { latencyMs: 0, endedFirst: false, ports: 40 },
    steps: [['create', 'b', 'word', [0, 1, 0, false, undefined]], ['write', 'b', undefined], ['close', 'keep'], ['lose', 'b']]
  },
  'what an earlier core has asked to end, and has not ended in time, dies as any other': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [['create', 'a', 'ping', [1, 3, 50, false]], ['behave', 'b', 0, 25_000, 0], ['create', 'b', 'word', [1, 1, 0, false, undefined]], ['pass', 1], ['roll', 'b'], ['pass', 1], ['crash', 2, 0], ['pass', 1_100]]
  },
  'a port that a service gives up for another is not listed twice': {
    world: { latencyMs: 40, endedFirst: false },
    steps: [['create', 'a', 'ping', [1, 3, 50, false]], ['create', 'b', 'word', [3, 3, 0, false]], ['fault', 'slow', 70_000], ['stranger', 0], ['pass', 35_000]]
  },
  'the place of a restart counts from the moment it is given': {
    world: { latencyMs: 40, endedFirst: false },
    steps: [['create', 'a', 'ping', [1, 3, 50, false]], ['pass', 70_000], ['kill', 'a-1'], ['restart', 'a-1'], ['roll', 'a'], ['pass', 1_100]]
  },
  'a group whose deletion has failed goes on in that moment, with what was changed by hand meanwhile': {
    world: { latencyMs: 0, endedFirst: false, ports: 40 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['crash', 1, 0], ['pass', 70_000], ['pass', 70_000], ['write', 'a', [3, 3, 0, false, undefined]],
      ['fault', 'stops', 1], ['delete', 'a'], ['pass', 1], ['pass', 1], ['crash', 1, 0], ['edit', 'a', [0, 1, 0, false, undefined]]
    ]
  },
  'a life that an earlier core has asked to end is followed by the next without a pause': {
    world: { latencyMs: 0, endedFirst: false, ports: 40 },
    steps: [['create', 'a', 'ping', [1, 3, 50, false]], ['players', 'a-1', 0], ['roll', 'a'], ['crash', 3, 0], ['close', 'stop']]
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
  'what was about to start when the restart of its group began, and has begun anew since, is left alone': {
    world: { latencyMs: 40, endedFirst: false, ports: 40 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['pass', 12_000], ['start', 'a'], ['behave', 'a', Infinity, Infinity, 0], ['roll', 'a'], ['pass', 1_100],
      ['start', 'a-1'], ['die', 'b-1'], ['start', 'a']
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
  'a damaged file that is mended while no core runs is in force for the next': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['behave', 'a', Infinity, Infinity, 0], ['write', 'a', undefined], ['write', 'a', [0, 1, 0, false]], ['fault', 'full', 1],
      ['pass', 1], ['close', 'stop'], ['pass', 1]
    ]
  },
  'a group whose deletion has failed goes on when somebody starts something of it': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [['create', 'a', 'ping', [1, 3, 50, false]], ['fault', 'stops', 1], ['delete', 'a'], ['pass', 12_000], ['start', 'a']]
  },
  'what is not needed and does not end at once is not ended for nothing when somebody joins it': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['pass', 35_000], ['roll', 'a'], ['pass', 12_000], ['pass', 12_000], ['write', 'a', [0, 1, 0, false]], ['fault', 'stops', 70_000],
      ['players', 'a-2', 4], ['pass', 35_000], ['close', 'keep'], ['fault', 'full', 1]
    ]
  },
  'a static service that goes while it is being restarted does not come back with the next core': {
    world: { latencyMs: 40, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['create', 'b', 'word', [3, 3, 0, true]], ['pass', 1_100], ['write', 'a', [0, 1, 0, false]], ['pass', 35_000], ['edit', 'a', [3, 3, 0, false]],
      ['edit', 'b', [0, 1, 0, false]], ['roll', 'b'], ['pass', 70_000], ['crash', 0, 0], ['roll', 'a'], ['clock', -86_400_000], ['pass', 1], ['pass', 1]
    ]
  },
  'what a full disk has kept from being noted as gone comes back on a port of its own': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [0, 1, 0, true]], ['start', 'a'], ['pass', 12_000], ['fault', 'full', 35_000], ['pass', 35_000], ['pass', 1_100], ['create', 'b', 'ping', [1, 1, 0, false]],
      ['pass', 4_000], ['crash', 0, 0], ['pass', 1_100]
    ]
  },
  'a core whose last look at its files has failed stops its services when it closes': {
    world: { latencyMs: 40, endedFirst: false },
    steps: [['create', 'a', 'ping', [1, 3, 50, false]], ['pass', 12_000], ['fault', 'files', 70_000], ['pass', 70_000], ['close', 'stop']]
  },
  'players have the time to leave that began with the restart that a second one joins': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [['create', 'a', 'ping', [1, 3, 50, false]], ['pass', 35_000], ['players', 'a-1', 4], ['pass', 70_000], ['roll', 'a'], ['pass', 1], ['roll', 'a']]
  },
  'an edit ends the restart of a group, also for the service whose turn has not come': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['fault', 'away', 70_000], ['start', 'a'], ['start', 'a'], ['roll', 'a'], ['edit', 'a', [3, 3, 0, false]], ['stranger', 0],
      ['pass', 35_000]
    ]
  },
  'the restart of a group goes on when a service of it is being restarted by name': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [['create', 'a', 'ping', [1, 1, 0, false]], ['pass', 4_000], ['restart', 'a-1'], ['pass', 300], ['roll', 'a']]
  },
  'the restart of a group whose ports have become others ends, whoever has them': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['write', 'a', [3, 3, 0, false, 0]], ['pass', 35_000], ['fault', 'definition', 1], ['die', 'a-1'],
      ['clock', -86_400_000], ['edit', 'a', [2, 4, 0, false, 1]]
    ]
  },
  'a port that is asked for and that another has is not listed twice': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['edit', 'a', [1, 2, 0, false, 0]], ['create', 'b', 'word', [2, 2, 0, false]], ['start', 'a'], ['pass', 35_000],
      ['edit', 'a', [2, 2, 0, false, 1]], ['lose', 'a'], ['create', 'a', 'word', [0, 1, 0, false]], ['pass', 1], ['pass', 1]
    ]
  },
  'a port that another has got is not listed any more with who had it, while that is being started on another': {
    world: { latencyMs: 40, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['pass', 1_100], ['edit', 'a', [1, 1, 0, false, 0]], ['create', 'b', 'word', [1, 2, 0, false]], ['pass', 35_000],
      ['crash', 1, 0], ['roll', 'a'], ['pass', 1_100], ['roll', 'b'], ['start', 'a-1'], ['crash', 0, 0], ['pass', 1]
    ]
  },
  'what runs of a group that is gone, and does not end, is tried again until it has ended': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['fault', 'stops', 35_000], ['roll', 'a'], ['lose', 'a'], ['close', 'keep'], ['pass', 1],
      ['create', 'a', 'word', [0, 1, 0, false]], ['pass', 1], ['die', 'a-1']
    ]
  },
  'what runs of a group that is gone is not one of the next group of that name, also for the next core': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['lose', 'a'], ['fault', 'stops', 1_100], ['create', 'b', 'word', [2, 2, 0, false]], ['close', 'keep'],
      ['create', 'a', 'word', [0, 1, 0, false]], ['crash', 5, 0], ['start', 'a-1'], ['behave', 'a', 0, Infinity, 0], ['pass', 4_000], ['fault', 'full', 1]
    ]
  },
  'in the restart of a group the place of one that goes is free for the next successor': {
    world: { latencyMs: 40, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['pass', 12_000], ['players', 'a-1', 2], ['pass', 12_000], ['edit', 'a', [1, 3, 0, false]], ['pass', 12_000],
      ['roll', 'a'], ['pass', 1], ['pass', 12_000], ['roll', 'a'], ['players', 'a-1', 0]
    ]
  },
  'a core that stops its services ends as well what runs of a group that is gone': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['crash', 1, 0], ['fault', 'stops', 35_000], ['lose', 'a'], ['pass', 35_000], ['close', 'stop']
    ]
  },
  'what is not needed and is going already is not restarted with its group': {
    world: { latencyMs: 6, endedFirst: false },
    steps: [['create', 'a', 'ping', [1, 3, 50, false]], ['pass', 35_000], ['fault', 'away', 300], ['edit', 'a', [0, 1, 0, false]], ['pass', 300], ['roll', 'a']]
  },
  'what is kept because somebody came as it was to go is restarted with its group': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [['create', 'a', 'ping', [1, 3, 50, false]], ['pass', 70_000], ['edit', 'a', [0, 1, 0, false]], ['players', 'a-1', 1], ['roll', 'a'], ['pass', 1]]
  },
  'what is going already when somebody comes is not restarted with its group': {
    world: { latencyMs: 6, endedFirst: false },
    steps: [['create', 'a', 'ping', [1, 3, 50, false]], ['pass', 70_000], ['edit', 'a', [0, 1, 0, false]], ['pass', 20], ['players', 'a-1', 2], ['roll', 'a'], ['pass', 1]]
  },
  'what is needed after all is kept, and no other one is started for it': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'b', 'word', [3, 3, 0, false]], ['pass', 70_000], ['edit', 'b', [2, 4, 0, false]], ['fault', 'full', 1], ['stop', 'b-1'], ['pass', 20]
    ]
  },
  'what dies as it is to go, and is needed since this moment, is made anew at once': {
    world: { latencyMs: 0, endedFirst: false },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['edit', 'a', [3, 3, 0, false]], ['pass', 70_000],
      ['edit', 'a', [0, 1, 0, false]], ['edit', 'a', [3, 3, 0, false]], ['die', 'a-1'], ['edit', 'a', [0, 1, 0, false]],
      ['start', 'a-1'], ['start', 'a-1'], ['close', 'keep']
    ]
  },
  'above the maximum of a group with worlds of its own the first ones stay, also empty, while one that goes has players': {
    world: { latencyMs: 0, endedFirst: false, ports: 40 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['edit', 'a', [3, 3, 0, false]], ['pass', 12_000], ['write', 'a', [1, 2, 0, true]], ['players', 'a-3', 4],
      ['die', 'b-1'], ['roll', 'a'], ['start', 'a'], ['start', 'a-1']
    ]
  },
  'who could not start amid the restart of its group goes when its successor is there': {
    world: { latencyMs: 0, endedFirst: false, ports: 40 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['fault', 'full', 35_000], ['roll', 'a'], ['die', 'a-1'], ['pass', 70_000], ['pass', 1],
      ['players', 'a-1', 0], ['close', 'keep'], ['create', 'a', 'word', [0, 1, 0, false]]
    ]
  },
  'the machine of one that has died and was replaced amid the restart of its group hears of that a moment after the restart is over': {
    world: { latencyMs: 40, endedFirst: false, ports: 40 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['pass', 35_000], ['die', 'a-1'], ['behave', 'a', Infinity, Infinity, 0], ['pass', 70_000], ['roll', 'a'],
      ['pass', 70_000], ['pass', 12_000], ['create', 'b', 'word', [0, 1, 0, false, undefined]], ['pass', 4_000], ['clock', -86_400_000]
    ]
  },
  'a successor is one also when the restart of its group is asked for once more': {
    world: { latencyMs: 0, endedFirst: false, ports: 40 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['fault', 'full', 12_000], ['roll', 'a'], ['restart', 'a-1'], ['roll', 'a'], ['behave', 'a', 8_000, 2_000, 0],
      ['pass', 1], ['stranger', 0], ['edit', 'a', [0, 1, 0, false, undefined]], ['pass', 35_000]
    ]
  },
  'who is restarted keeps its place while its machines are away, also where the maximum is lowered meanwhile': {
    world: { latencyMs: 0, endedFirst: false, ports: 40 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['edit', 'a', [2, 4, 0, false, 1]], ['roll', 'a'], ['fault', 'away', 1], ['edit', 'a', [0, 1, 0, false, 0]],
      ['fault', 'away', 70_000], ['pass', 35_000], ['pass', 35_000], ['create', 'a', 'word', [0, 1, 0, false, undefined]], ['rename', 'x', 'x'], ['pass', 1],
      ['behave', 'a', 0, Infinity, 0]
    ]
  },
  'the restart of a group goes on when a second one is refused because the file of the group is damaged': {
    world: { latencyMs: 0, endedFirst: false, ports: 40 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['fault', 'full', 70_000], ['pass', 4_000], ['write', 'a', undefined], ['roll', 'a'], ['players', 'a-1', 2],
      ['pass', 35_000], ['roll', 'a'], ['die', 'a-2'], ['pass', 1], ['start', 'b-1']
    ]
  },
  'what an earlier core has asked to end with its group has no turn in the restart of that': {
    world: { latencyMs: 40, endedFirst: false, ports: 40 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['create', 'b', 'mute', [1, 1, 0, false, undefined]], ['pass', 70_000], ['roll', 'b'], ['delete', 'a'],
      ['crash', 10, 90_000], ['edit', 'b', [3, 3, 0, false, undefined]], ['pass', 300], ['roll', 'a'], ['die', 'a-1'], ['rename', 'x', 'x'], ['delete', 'a'],
      ['fault', 'full', 1]
    ]
  },
  'a successor that has just died, while another service is there, is waited for': {
    world: { latencyMs: 6, endedFirst: false, ports: 40 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['pass', 70_000], ['pass', 4_000], ['create', 'b', 'gate', [0, 1, 50, true, undefined]],
      ['crash', 10, 90_000], ['command', 'b-2'], ['pass', 1_100], ['clock', 3_600_000], ['close', 'keep'], ['clock', 86_400_000], ['players', 'a-2', 4],
      ['die', 'a-3'], ['roll', 'a'], ['pass', 20], ['pass', 4_000], ['restart', 'a-1'], ['players', 'a-1', 0], ['die', 'a-2'],
      ['create', 'b', 'gate', [2, 2, 50, false, undefined]], ['start', 'b'], ['crash', 8, 90_000], ['create', 'a', 'gate', [1, 3, 0, true, 1]],
      ['stop', 'a-3'], ['start', 'a-3'], ['crash', 19, 90_000], ['clock', -86_400_000], ['roll', 'a']
    ]
  },
  'who was restarted by name amid the restart of its group goes as well when its successor is there': {
    world: { latencyMs: 40, endedFirst: false, ports: 40 },
    steps: [['create', 'a', 'ping', [1, 3, 50, false]], ['pass', 4_000], ['fault', 'away', 70_000], ['roll', 'a'], ['restart', 'a-1'], ['pass', 70_000]]
  },
  'who comes and goes between two looks is not known of, and what was empty before may go': {
    world: { latencyMs: 6, endedFirst: false, ports: 40 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['pass', 4_000], ['players', 'b-2', 2], ['pass', 12_000], ['players', 'a-2', 1], ['players', 'b-1', 1], ['players', 'a-2', 0]
    ]
  },
  'above the maximum of a group with worlds of its own who rests after a death has its place': {
    world: { latencyMs: 0, endedFirst: true, ports: 8 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['edit', 'a', [3, 3, 0, false, undefined]], ['crash', 7, 0], ['fault', 'away', 35_000], ['write', 'a', [1, 1, 100, true, 1]],
      ['fault', 'slow', 70_000], ['die', 'a-1'], ['pass', 35_000], ['pass', 12_000]
    ]
  },
  'who was stopped stays so, or comes, where the core ends amid the start that was asked for': {
    world: { latencyMs: 0, endedFirst: false, ports: 40 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['edit', 'a', [3, 3, 0, false, undefined]], ['pass', 35_000], ['edit', 'a', [2, 4, 0, true, undefined]], ['stop', 'a-3'], ['pass', 4_000],
      ['crash', 1, 0], ['start', 'a'], ['crash', 0, 0], ['roll', 'a'], ['die', 'a-1']
    ]
  },
  'who comes under the number of one that has died and was replaced amid the restart of its group has not died yet': {
    world: { latencyMs: 0, endedFirst: false, ports: 40 },
    steps: [
      ['create', 'a', 'ping', [1, 3, 50, false]], ['create', 'b', 'word', [2, 4, 0, false, undefined]], ['roll', 'b'], ['die', 'b-1'], ['pass', 12_000],
      ['die', 'b-1'], ['players', 'a-1', 0], ['roll', 'a'], ['pass', 1], ['start', 'a-1']
    ]
  }
}

for (const [title, sequence] of Object.entries(found)) {
  t.test(title, async t => {
    await tryOut(sequence)
    t.pass('every promise is kept')
  })
}

const count = Number(process.env['MODEL_RUNS'] ?? rounds(40, 5_000))
/** `npm test` repeats one seed, so that a change is judged by what it changed; the full rounds draw another one each time. */
const seed = Number(process.env['MODEL_SEED'] ?? newSeed())
/** Each in a thread of its own, with a seed of its own: tap watches every promise of its own thread, which takes longer than the model. */
const threads = process.env['MODEL_PATH'] !== undefined ? 1 : Math.min(availableParallelism(), Math.ceil(count / 1000))

for (let at = 0; at < threads; at++) {
  const share = Math.ceil((count - at) / threads)
  t.test(`${share} random sequences keep every promise, MODEL_SEED=${seed + at}`, { buffered: true }, async t => {
    const worker = new Worker(new URL('model-worker.js', import.meta.url), { workerData: { numRuns: share, seed: seed + at, path: process.env['MODEL_PATH'] } })
    const [failure] = await once(worker, 'message') as [string | undefined]
    t.equal(failure, undefined)
  })
}
