/** What every command does with `--help`, and with words that it does not know. */
import { parseArgs } from 'node:util'

const help = { help: { type: 'boolean', short: 'h' } }

/**
 * The words behind a command, and its options. Where help is asked for that is printed, and the process ends with 0; where an
 * option is not known, `undefined` is the answer, and why is told.
 */
export function readWords (usage, { args = process.argv.slice(2), options = {} } = {}) {
  try {
    const { values: { help: isAsked, ...values }, positionals } = parseArgs({ args, allowPositionals: true, options: { ...options, ...help } })
    if (isAsked !== true) return { values, words: positionals }
  } catch (error) {
    console.error(error.message)
    return undefined
  }
  console.log(usage)
  process.exit(0)
}

/** The words were not understood. */
export function misuse (usage) {
  console.error(usage)
  process.exit(2)
}
