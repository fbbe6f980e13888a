/** Going on where one was in the output of a container, by the times of its entries: nothing is lost, and nothing comes twice. */
import fc from 'fast-check'
import t from 'tap'
import { createFrameReader } from '../../../lib/runtime/docker/frames.js'
import { createPlace } from '../../../lib/runtime/docker/output-place.js'
import { newSeed, rounds } from '../../fixtures/rounds.js'

/** A time of nine digits, as engines write it. */
const timeAt = (nanoseconds: bigint): string => {
  const seconds = new Date(Number(nanoseconds / 1_000_000n)).toISOString().slice(0, 19)
  return `${seconds}.${String(nanoseconds % 1_000_000_000n).padStart(9, '0')}Z`
}

/** What an engine answers: all that is not older, in the order in which it lies there. */
function ask (output: readonly string[], since: string | undefined): readonly number[] {
  const [whole = 0, fraction = 0] = (since ?? '0.0').split('.').map(Number)
  const from = BigInt(whole) * 1_000_000_000n + BigInt(fraction)
  return output.flatMap((at, index) => BigInt(Date.parse(`${at.slice(0, 19)}Z`)) * 1_000_000n + BigInt(at.slice(20, 29)) < from ? [] : [index])
}

/** Times that grow, but for two writers that overtake each other by some microseconds. */
const outputs = fc.array(fc.tuple(fc.bigInt(0n, 3_000_000_000n), fc.bigInt(0n, 5_000n)), { maxLength: 60 }).map(steps => {
  let now = 1_760_000_000_000_000_000n
  return steps.map(([step, back]) => timeAt((now += step) - (step % 3n === 0n ? back : 0n)))
})

t.test('however often a connection is lost, each entry is heard once and in its order', async t => {
  const seed = newSeed()
  t.comment(`seed ${seed}`)
  fc.assert(fc.property(outputs, fc.array(fc.nat(60), { minLength: 1, maxLength: 8 }), (output, cuts) => {
    const known = cuts.map(cut => Math.min(cut, output.length)).sort((one, other) => one - other)
    const first = known[0] as number
    const place = createPlace(output.slice(0, first), false)
    const heard = Array.from({ length: first }, (_, index) => index)
    for (const length of [...known, output.length]) {
      const { since, skip } = place.next()
      for (const index of ask(output.slice(0, length), since).slice(skip)) {
        heard.push(index)
        place.note(output[index] as string)
      }
    }
    return heard.join() === output.map((_, index) => index).join()
  }), { seed, numRuns: rounds(300, 5000) })
})

t.test('where only the last entries are known, it goes on behind them', async t => {
  const output = Array.from({ length: 500 }, (_, n) => timeAt(1_760_000_000_000_000_000n + BigInt(Math.floor(n / 3)) * 1_000n))
  const place = createPlace(output.slice(299, 499), true)
  const { since, skip } = place.next()
  t.strictSame(ask(output, since).slice(skip), [499])
})

t.test('pieces of the output are read wherever they are cut', async t => {
  const frame = (text: string): Buffer => {
    const bytes = Buffer.from(`2026-01-02T03:04:05.000000006Z ${text}`)
    const head = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0])
    head.writeUInt32BE(bytes.length, 4)
    return Buffer.concat([head, bytes])
  }
  const texts = ['ready\n', '\n', ' ünï code\n', 'no end']
  const all = Buffer.concat(texts.map(frame))
  for (const size of [1, 2, 7, 8, 9, 40, all.length]) {
    const take = createFrameReader()
    const entries = Array.from({ length: Math.ceil(all.length / size) }, (_, n) => take(all.subarray(n * size, (n + 1) * size))).flat()
    t.strictSame(entries.map(({ at, bytes }) => `${at} ${bytes.toString()}`), texts.map(text => `2026-01-02T03:04:05.000000006Z ${text}`), `pieces of ${size}`)
  }
})
