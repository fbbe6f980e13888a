/** A service as it is listed. */
import type { ServiceState } from '../../../types/resources.js'
import type { RuntimeService } from '../../../types/runtime.js'
import type { Context } from './context.js'
import type { Life } from './life.js'
import type { Meta } from './meta.js'
import type { Recipe } from './recipe.js'

export interface Shown {
  readonly name: string
  readonly group: string
  readonly port: number
  readonly createdAt: number
  readonly state: ServiceState
  readonly life: Life | undefined
  /** As of its last start. */
  readonly recipe: Recipe | undefined
  /** What an earlier core wrote down, for one that this core has not started. */
  readonly meta: Meta | undefined
}

/** Puts together what is known of a service: how it was started, how it is now, and who is on it. */
export function view (service: Shown, context: Context): RuntimeService {
  const { life, meta, recipe } = service
  const group = context.group(service.group)
  const type = recipe?.type ?? meta?.type ?? context.platforms.get(group?.platform.name ?? '')?.type ?? 'SERVER'
  const templates = recipe?.templates ?? (meta?.templates ?? group?.templates ?? []).map((name) => ({ name, size: 'unknown' }))
  const properties = recipe?.properties ?? meta?.properties ??
    Object.fromEntries(Object.entries(group?.properties ?? {}).map(([key, value]) => [key, String(value)]))
  const { count, max, motd } = life?.occupancy.shown ?? { count: 0, max: 0, motd: '' }
  const isProxy = type === 'PROXY'
  return {
    name: service.name,
    state: service.state,
    type,
    groupName: service.group,
    hostname: context.settings.host,
    port: service.port,
    templates,
    properties,
    minMemory: recipe?.minMemory ?? meta?.minMemory ?? group?.minMemory ?? 0,
    maxMemory: recipe?.maxMemory ?? meta?.maxMemory ?? group?.maxMemory ?? 0,
    playerCount: isProxy ? -1 : count,
    maxPlayerCount: isProxy ? -1 : max,
    memoryUsage: life?.usage.memory ?? 0,
    cpuUsage: life?.usage.cpu ?? 0,
    motd,
    createdAt: service.createdAt
  }
}
