/**
 * Tells a run of the tests shortly: a line for each file, what was skipped, what a test remarks (a seed, a time), and
 * what failed. What only the full run tries, and everything about the failures, stands at the end.
 */
import { Transform } from 'node:stream'
import { inspect } from 'node:util'
import { Parser } from 'tap-parser'

/** How `fixtures/rounds.ts` begins the reason of what `npm test` leaves out. */
const onlyFull = /^TEST_FULL=1 RUNS IT: /

export default class Reporter extends Transform {
  #parser = new Parser()
  #failures = []
  #skipped = 0
  #onlyFull = new Map()
  /** What the end tells: how many files there were and failed, and those that failed at first only. */
  result = { files: 0, failed: 0, unsteady: [] }

  constructor () {
    super()
    this.#parser.on('assert', ({ ok, name, time }) => this.#say(`${ok ? 'ok' : 'FAILED'} ${name} ${Math.round(time ?? 0)} ms`))
    this.#parser.on('complete', () => {
      this.#sayOnlyFull()
      for (const { title, diag } of this.#failures) this.#say(`\n${title}\n${diag ? inspect(diag, { depth: 6 }) : ''}`)
      const { files, failed, unsteady } = this.result
      if (unsteady.length > 0) this.#say(`failed at first and passed alone: ${unsteady.join(', ')}`)
      this.#say(`${files} files, ${failed} failed; ${this.#skipped} tests skipped`)
    })
    this.#follow(this.#parser, [])
  }

  _transform (chunk, _encoding, done) {
    this.#parser.write(chunk)
    done()
  }

  _flush (done) {
    this.#parser.once('complete', () => done())
    this.#parser.end()
  }

  #follow (parser, path) {
    let last
    let known = 0
    parser.on('child', child => {
      last = child
      known = this.#failures.length
      this.#follow(child, [...path, child.name])
    })
    parser.on('assert', result => {
      const isOfChild = last?.name === result.name && this.#failures.length > known
      if (result.skip) this.#skip(path, result)
      else if (!result.ok && !result.todo && !isOfChild) this.#fail(path, result)
    })
    parser.on('comment', text => {
      const remark = text.replace(/^#\s*/, '').trim()
      if (remark !== '' && !/^(Subtest|time=)/.test(remark)) this.#say(`  ${remark}`)
    })
    parser.on('bailout', reason => this.#fail(path, { name: `Bail out! ${reason}` }))
  }

  #skip (path, { name, skip }) {
    const reason = skip === true ? '' : ` (${skip.replace(onlyFull, '')})`
    if (onlyFull.test(skip)) {
      const place = [...path, ''].join(' > ')
      const group = this.#onlyFull.get(place + reason) ?? { place, reason, names: [] }
      this.#onlyFull.set(place + reason, group)
      group.names.push(name)
      return
    }
    this.#skipped++
    this.#say(`  skipped: ${[...path, name].join(' > ')}${reason}`)
  }

  /** Of a suite that is left out in great part the number is told, everything else by name. */
  #sayOnlyFull () {
    if (this.#onlyFull.size > 0) this.#say('\nOnly in the full run (npm run test:full):')
    for (const { place, reason, names } of this.#onlyFull.values()) {
      for (const name of names.length > 10 ? [`${names.length} cases`] : names) this.#say(`  ${place}${name}${reason}`)
    }
  }

  #fail (path, { name, diag }) {
    const title = `not ok: ${[...path, name].join(' > ')}`
    this.#failures.push({ title, diag })
    this.#say(title)
  }

  #say (line) {
    this.push(`${line}\n`)
  }
}
