/** Fetching images from where they are published, each once however many wait for it. */
import type { StartOptions } from '../../../types/engine.js'
import { DefinitionError } from '../fleet/index.js'
import { statusOf, type Client } from './client.js'
import { jsonLines } from './json-lines.js'

/** What is told of one layer, or of the whole. */
interface Told {
  readonly id?: string
  readonly error?: string
  readonly progressDetail?: { readonly current?: number, readonly total?: number }
}

type Options = Pick<StartOptions, 'signal' | 'progress'>

const BEGIN_MS = 60_000
/** Between two words about how far it is. */
const WORD_MS = 5000

export function createPulls (client: Client): (name: string, options: Options) => Promise<void> {
  const pulling = new Map<string, { readonly done: Promise<void>, readonly waiting: Set<Options['progress']> }>()

  async function pull (name: string, waiting: ReadonlySet<Options['progress']>): Promise<void> {
    const stream = await client.ask(async (docker, abortSignal) => await docker.pull(name, { abortSignal }) as AsyncIterable<unknown>, { within: BEGIN_MS }).catch((error: unknown) => {
      // Nobody has it: it will not be there the next time either.
      if (statusOf(error) === 404 || statusOf(error) === 400) throw new DefinitionError(`the image ${name} cannot be pulled: ${(error as Error).message}`)
      throw error
    })
    const layers = new Map<string, { readonly current: number, readonly total: number }>()
    let toldAt = performance.now()
    for await (const { id, error, progressDetail: { current, total } = {} } of jsonLines<Told>(stream)) {
      if (error !== undefined) throw / unknown|not found/.test(error) ? new DefinitionError(`the image ${name} cannot be pulled: ${error}`) : new Error(`the image ${name} cannot be pulled: ${error}`)
      if (id === undefined || current === undefined || total === undefined) continue
      layers.set(id, { current, total })
      if (performance.now() - toldAt < WORD_MS) continue
      toldAt = performance.now()
      const sum = (key: 'current' | 'total'): number => [...layers.values()].reduce((all, layer) => all + layer[key], 0)
      for (const tell of waiting) tell(`pulls the image ${name}, ${Math.floor(100 * sum('current') / Math.max(1, sum('total')))} %`)
    }
  }

  return async (name, { signal, progress }) => {
    let known = pulling.get(name)
    if (known === undefined) {
      const waiting = new Set<Options['progress']>()
      known = { waiting, done: pull(name, waiting).finally(() => { pulling.delete(name) }) }
      pulling.set(name, known)
    }
    const { waiting, done } = known
    progress(`pulls the image ${name}`)
    waiting.add(progress)
    try {
      await Promise.race([done, aborted(signal)])
    } finally {
      waiting.delete(progress)
    }
  }
}

/** Rejects when it is. */
const aborted = async (signal: AbortSignal): Promise<never> => await new Promise((_resolve, reject) => {
  signal.throwIfAborted()
  signal.addEventListener('abort', () => { reject(signal.reason) }, { once: true })
})
