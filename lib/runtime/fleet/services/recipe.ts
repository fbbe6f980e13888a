/** How a service is started and shown, worked out from its group and platform as they are now. */
import type { Layer } from '../../../../types/engine.js'
import type { Group, ServiceType } from '../../../../types/resources.js'
import { layersOf, presentName, type Content } from '../content/content.js'
import type { PlatformDefinition } from '../content/platform-definition.js'
import { MissingError } from '../faults.js'
import { cpuOf, hostOf, isFallback, isStatic, keepConsoleOf, pidsOf, slotsOf } from '../group-properties.js'
import { definitionFrom, mannerOf } from './manner.js'
import type { ServiceRecord } from './record.js'

export interface Recipe {
  readonly type: ServiceType
  readonly platform: { readonly name: string, readonly version: string }
  readonly definition: PlatformDefinition
  readonly layers: readonly Layer[]
  readonly properties: Readonly<Record<string, string>>
  readonly static: boolean
  readonly minMemory: number
  readonly maxMemory: number
  readonly slots: number
  /** Where it listens, when not where the engine says. */
  readonly host?: string
  /** Processors. */
  readonly cpu?: number
  /** Processes and threads. */
  readonly pids?: number
  /** Pieces of its console. */
  readonly keepConsole?: number
}

/** Throws a `MissingError` when the group's platform, its version, or a template is not there. */
export function recipeFor ({ platforms, templates }: Content, group: Group): Recipe {
  const { platform, minMemory, maxMemory } = group
  const definition = platforms.get(platform.name)
  if (definition === undefined) throw new MissingError(`there is no platform ${platform.name}`)
  if (!definition.versions.includes(platform.version)) throw new MissingError(`platform ${platform.name} has no version ${platform.version}`)
  const missing = group.templates.filter(name => !templates.has(presentName(templates, name)))
  if (missing.length > 0) throw new MissingError(`there is no template ${missing.join(', ')}`)
  const [host, cpu] = [hostOf(group), cpuOf(group)]
  return {
    type: definition.type,
    platform,
    definition,
    layers: layersOf(templates, group, definition.type, isFallback(group)),
    properties: textsOf(group.properties),
    static: isStatic(group),
    minMemory,
    maxMemory,
    slots: slotsOf(group),
    pids: pidsOf(group),
    keepConsole: keepConsoleOf(group),
    ...(host === undefined ? {} : { host }),
    ...(cpu === undefined ? {} : { cpu })
  }
}

/** The same for a service that an earlier core has started. */
export function recipeFrom ({ platforms, templates }: Content, record: ServiceRecord, group: Group): Recipe {
  const { type, platform, properties, minMemory, maxMemory } = record
  return {
    type,
    platform,
    definition: definitionFrom(record) ?? platforms.get(platform.name) ?? { ...UNKNOWN, name: platform.name, type, versions: [platform.version] },
    layers: record.templates.map(name => ({ name, directory: templates.pathOf(name) })),
    properties,
    static: record.static,
    minMemory,
    maxMemory,
    slots: slotsOf(group)
  }
}

/** For a service whose platform has been removed while it ran: enough to watch and to stop it. */
const UNKNOWN = {
  command: '',
  args: [],
  env: {},
  files: {},
  ready: { tcp: true },
  startTimeout: 60_000,
  stop: { signal: 'SIGTERM' },
  stopTimeout: 5000
} as const satisfies Partial<PlatformDefinition>

/** The record of a service as it is started, or found. */
export function recordOf (
  { type, platform, definition, layers, properties, minMemory, maxMemory, static: keeps }: Recipe,
  service: Pick<ServiceRecord, 'name' | 'group' | 'index' | 'createdAt' | 'port' | 'intent'>
): ServiceRecord {
  return { ...service, static: keeps, type, platform, templates: layers.map(({ name }) => name), properties, minMemory, maxMemory, manner: mannerOf(definition) }
}

/** The properties of a group as a service shows them. */
export function textsOf (properties: Group['properties']): Record<string, string> {
  return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, String(value)]))
}
