/** How the tests in the lab wait: for a condition, with a deadline. */
import assert from 'node:assert/strict'

/** Answers the first truthy answer of `look`. */
export async function until (what, look, ms = 30_000) {
  for (const end = Date.now() + ms; ; await new Promise(resolve => setTimeout(resolve, 50))) {
    const seen = await look()
    if (seen) return seen
    if (Date.now() > end) assert.fail(`waited ${ms} ms in vain: ${what}`)
  }
}
