/** Random sequences of commands, made smaller where they fail; the seed is printed and can be given back. */
import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { SequenceOptions } from './sequence-options.js'

type FastCheck = typeof import('fast-check')

const SECONDS = 3
const RUNS = 1_000

/** The library that makes the sequences, where it is installed: it is an optional peer dependency. */
export async function loadFastCheck (): Promise<FastCheck | undefined> {
  try {
    return await import('fast-check')
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/**
 * Tries sequences of commands until time is over, and fails with the smallest one found that breaks a promise. Every second
 * one begins with the prelude.
 */
export async function trySequences<C> (
  fc: FastCheck, command: import('fast-check').Arbitrary<C>, prelude: readonly C[], run: (commands: readonly C[]) => Promise<void>,
  { seed, path, seconds = SECONDS, runs = RUNS }: SequenceOptions = {}, maxLength = 40
): Promise<void> {
  const sequence = fc.record({ furnished: fc.boolean(), commands: fc.array(command, { minLength: 1, maxLength, size: 'max' }) })
  let last: Promise<unknown> = Promise.resolve()
  const property = fc.asyncProperty(sequence, async ({ furnished, commands }) => {
    const running = run([...furnished ? prelude : [], ...commands])
    last = running.catch(() => {})
    await running
  })
  const result = await fc.check(property, {
    numRuns: runs,
    interruptAfterTimeLimit: seconds * 1_000,
    ...seed !== undefined && { seed },
    ...path !== undefined && { path }
  })
  // When time is over fast-check leaves the one that runs to itself; the next case would begin beside it.
  await last
  // What was interrupted before anything failed has failed nothing.
  if (!result.failed || result.counterexample === null) return
  const error: unknown = result.errorInstance
  const message = error instanceof Error ? error.message : inspect(error)
  const again = `sequences: { seed: ${result.seed}, path: '${result.counterexamplePath}' }`
  throw new assert.AssertionError({ message: `${message}\nTo try this sequence again give the suite \`${again}\`.` })
}
