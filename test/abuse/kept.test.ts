/** What is kept of a text that somebody else has sent keeps nothing else of it in memory. */
import t from 'tap'
import { tellable } from '../../lib/access/redaction.js'
import { createThrottle } from '../../lib/accounts/throttle.js'
import { createLineReader } from '../../lib/runtime/fleet/consoles/lines.js'
import { plain, readEvent } from '../../lib/runtime/fleet/players/log-lines.js'
import { exitOf } from '../../lib/runtime/fleet/services/exit.js'
import { testClock } from '../fixtures/cloud.js'
import { bytesKeptBy } from '../fixtures/kept.js'

const count = 500
const rubbish = `${'x'.repeat(16_000)}\u4e2d`
/** A new text each time, as one that was received. */
const received = (text: string): string => Buffer.from(text).toString()

const keepers: Record<string, { keep: () => (at: number) => unknown, most: number }> = {
  'an entry of the audit': { keep: () => at => tellable(received(`a-name-of-somebody-${at} ${rubbish}`), 20), most: 5_000 },
  'a count of failed logins': {
    keep: () => {
      const throttle = createThrottle(testClock(), 10, 1_000)
      return at => {
        throttle.fail(received(`a-name-of-somebody-${at} ${rubbish}`).slice(0, 22))
        return throttle
      }
    },
    most: 5_000
  },
  'the name of a player': { keep: () => at => readEvent(plain(received(`${rubbish}\rplayer_called_${at} joined the game`))), most: 5_000 },
  'the uuid of a player': { keep: () => at => readEvent(plain(received(`${rubbish}\rUUID of player player_called_${at} is 00000000-0000-0000-0000-${String(at).padStart(12, '0')}`))), most: 5_000 },
  'a last line of a service': { keep: () => at => exitOf('crashed', { code: 1, signal: null }, at, [received(`${at} ${'\u4e2d'.repeat(20_000)}`)]), most: 5_000 },
  'a line that was cut': {
    keep: () => at => {
      const [line] = createLineReader().take({ bytes: Buffer.from(`${at}${'x'.repeat(60_000)}\u4e2d\n`), gap: 0 })
      return line
    },
    most: 40_000
  }
}

for (const [what, { keep, most }] of Object.entries(keepers)) {
  t.test(`S23: ${what} keeps nothing of the text that it was a part of`, async t => {
    const kept = keep()
    const bytes = await bytesKeptBy(() => Array.from({ length: count }, (_, at) => kept(at)))
    t.ok(bytes / count < most, `${Math.round(bytes / count)} bytes for each`)
  })
}
