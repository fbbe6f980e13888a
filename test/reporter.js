/**
 * Tells a run of the tests shortly: a line for each file, what was skipped, what a test remarks (a seed, a time), and
 * what failed; everything about the failures stands at the end.
 */
import { Transform } from 'node:stream'
import { inspect } from 'node:util'
import { Parser } from 'tap-parser'

export default class Reporter extends Transform {
  #parser = new Parser()
  #failures = []
  #skipped = 0

  constructor () {
    super()
    this.#parser.on('assert', ({ ok, name, time }) => this.#say(`${ok ? 'ok' : 'FAILED'} ${name} ${Math.round(time ?? 0)} ms`))
    this.#parser.on('complete', ({ count, fail }) => {
      for (const { title, diag } of this.#failures) this.#say(`\n${title}\n${diag ? inspect(diag, { depth: 6 }) : ''}`)
      this.#say(`${count} files, ${fail} failed; ${this.#skipped} tests skipped`)
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
    this.#skipped++
    this.#say(`  skipped: ${[...path, name].join(' > ')}${skip === true ? '' : ` (${skip})`}`)
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
