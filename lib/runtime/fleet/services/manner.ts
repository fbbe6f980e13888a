/** How a life is seen to be ready, told of others, and ended: as its platform's file said when it began. By the time that a later core goes on with it that file may say something else, or be damaged. */
import { readDefinition, type PlatformDefinition } from '../content/platform-definition.js'

/** Fields as they stand in a platform's file. */
export type Manner = Readonly<Record<string, unknown>>

/** What of a definition a life needs that runs. */
export function mannerOf ({ ready, startTimeout, stop, stopTimeout, watchdog, network }: PlatformDefinition): Manner {
  return { ready: 'log' in ready ? { log: ready.log.source } : ready, startTimeout, stop, stopTimeout, watchdog, network }
}

/** What is noted of a life. */
interface Noted {
  readonly type: PlatformDefinition['type']
  readonly platform: { readonly name: string, readonly version: string }
  readonly manner?: Manner
}

/** The definition by which a life goes on that an earlier core has begun; nothing, where that has not noted one, or it is none. */
export function definitionFrom ({ type, platform: { name, version }, manner }: Noted): PlatformDefinition | undefined {
  if (typeof manner !== 'object' || manner === null) return undefined
  const { ready } = manner
  // No file can ask for that.
  const isEngines = typeof ready === 'object' && ready !== null && 'engine' in ready
  const read = readDefinition(name, JSON.stringify({ name, type, versions: [version], command: name, ...manner, ...isEngines && { ready: { tcp: true } } }))
  if (!('ready' in read)) return undefined
  return isEngines ? { ...read, ready: { engine: true } } : read
}
