/** What an engine is given to start a service. */
import type { Plan, PlanDownload, StopRequest } from '../../../../types/engine.js'
import type { Content } from '../content/content.js'
import { fill } from '../content/placeholders.js'
import type { PlatformDefinition } from '../content/platform-definition.js'
import type { Recipe } from './recipe.js'
import { noteOf, type ServiceRecord } from './record.js'

export function planOf (recipe: Recipe, record: ServiceRecord, token: string, content: Content, downloads: readonly PlanDownload[]): Plan {
  const { definition, platform, layers, minMemory, maxMemory, slots, host, cpu, pids, keepConsole } = recipe
  const { wrap = [], env, files, image } = definition
  const oldest = oldestJavaOf(definition, platform.version)
  const [command = definition.command, ...args] = [...wrap, definition.command, ...definition.args]
  return {
    name: record.name,
    token,
    note: noteOf(record),
    command,
    args,
    env,
    files,
    values: {
      name: record.name,
      group: record.group,
      version: platform.version,
      minMemory: String(minMemory),
      maxMemory: String(maxMemory),
      maxPlayers: String(slots),
      ...content.secrets
    },
    layers,
    downloads,
    ...(image === undefined ? {} : { image: { ...image, name: fill(image.name, { version: platform.version }) } }),
    ...(oldest === undefined ? {} : { java: { command: definition.command, oldest } }),
    platform: { ...platform, directory: content.platforms.directoryOf(platform.name) },
    keep: recipe.static,
    port: record.port,
    ...(host === undefined ? {} : { host }),
    ...(cpu === undefined ? {} : { cpu }),
    ...(pids === undefined ? {} : { pids }),
    ...(keepConsole === undefined ? {} : { keepConsole }),
    memory: { min: minMemory, max: maxMemory },
    stop: stopRequestOf(definition)
  }
}

function oldestJavaOf ({ java }: PlatformDefinition, version: string): number | undefined {
  return typeof java === 'number' ? java : java !== undefined && Object.hasOwn(java, version) ? java[version] : undefined
}

/** How a platform is asked to end. */
export function stopRequestOf ({ stop, stopTimeout }: PlatformDefinition): StopRequest {
  return { ask: stop, timeout: stopTimeout }
}
