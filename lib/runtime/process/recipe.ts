/** Everything that is needed to start a service, worked out from its group and platform as they are now. */
import type { Group, ServiceType, Template } from '../../../types/resources.js'
import type { Context } from './context.js'
import { StartError } from './errors.js'
import { numberIn, says } from './group-definition.js'
import type { Meta } from './meta.js'
import { fill, type PlatformDefinition, type Values } from './platform-definition.js'

export interface Recipe {
  readonly type: ServiceType
  readonly platform: { readonly name: string, readonly version: string }
  readonly definition: PlatformDefinition
  readonly templates: readonly Template[]
  readonly properties: Readonly<Record<string, string>>
  readonly static: boolean
  readonly minMemory: number
  readonly maxMemory: number
}

/** What is laid, run and shown; throws a `StartError` when the group's platform cannot run. */
export function recipeFor (context: Context, group: Group): Recipe {
  const { platform, minMemory, maxMemory } = group
  const definition = context.platforms.get(platform.name)
  if (definition === undefined) throw new StartError(`there is no platform ${platform.name}`)
  if (!definition.versions.includes(platform.version)) throw new StartError(`platform ${platform.name} has no version ${platform.version}`)
  const templates = context.templates.forGroup(group, definition.type)
  const missing = group.templates.filter((name) => !templates.some((template) => template.name === name))
  if (missing.length > 0) throw new StartError(`there is no template ${missing.join(', ')}`)
  const properties = Object.fromEntries(Object.entries(group.properties).map(([key, value]) => [key, String(value)]))
  return { type: definition.type, platform, definition, templates, properties, static: says(group, 'static'), minMemory, maxMemory }
}

/** The same for a service that an earlier core has started, from what that wrote down. */
export function recipeFromMeta (context: Context, meta: Meta): Recipe {
  const { type, platform, properties, minMemory, maxMemory } = meta
  const definition = context.platforms.get(platform.name) ?? { ...UNKNOWN, name: platform.name, type, versions: [platform.version] }
  const templates = meta.templates.map((name) => ({ name, size: 'unknown' }))
  return { type, platform, definition, templates, properties, static: meta.static, minMemory, maxMemory }
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

export interface Command {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly files: Readonly<Record<string, string>>
}

/** The command line with all values put in. They go straight to the program; no shell reads them. */
export function commandFor (context: Context, recipe: Recipe, group: Group, service: {
  readonly name: string
  readonly port: number
  readonly directory: string
}): Command {
  const { definition } = recipe
  const values: Values = {
    name: service.name,
    group: group.name,
    host: context.settings.host,
    port: String(service.port),
    version: recipe.platform.version,
    directory: service.directory,
    platformDirectory: context.platforms.directoryOf(definition.name),
    minMemory: String(recipe.minMemory),
    maxMemory: String(recipe.maxMemory),
    maxPlayers: String(Math.floor(numberIn(group, 'maxPlayers', 1, 20)))
  }
  const filled = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fill(text, values)]))
  return {
    command: fill(definition.command, values),
    args: definition.args.map((text) => fill(text, values)),
    env: { ...inherited(context.settings.environment), ...filled(definition.env) },
    files: filled(definition.files)
  }
}

/** Enough to find programs and to speak the right language; the core's secrets live in the same place and stay there. */
const INHERITED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'JAVA_HOME']

function inherited (further: readonly string[]): Record<string, string> {
  return Object.fromEntries([...INHERITED, ...further].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }))
}
