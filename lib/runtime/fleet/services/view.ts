/** A service as it is listed. */
import type { RuntimeService } from '../../../../types/runtime.js'
import { layersOf } from '../content/content.js'
import { hostOf, isFallback } from '../group-properties.js'
import type { Owner } from './owner.js'
import type { Life } from './life.js'
import type { Parts } from './parts.js'
import { textsOf, type Recipe } from './recipe.js'
import type { ServiceRecord } from './record.js'

export interface Shown extends Pick<RuntimeService, 'name' | 'port' | 'createdAt' | 'state'> {
  readonly owner: Owner
  readonly life: Life | undefined
  /** As of its last start. */
  readonly recipe: Recipe | undefined
  readonly record: ServiceRecord | undefined
}

/** Puts together what is known of a service: how it was started, how it is now, and who is on it. */
export function view ({ name, port, createdAt, state, owner: { group }, life, recipe, record }: Shown, { engine, content }: Parts): RuntimeService {
  const type = recipe?.type ?? content.platforms.get(group.platform.name)?.type ?? 'SERVER'
  const layers = recipe?.layers ?? layersOf(content.templates, group, type, isFallback(group))
  const { count, shown, slots, motd } = life?.occupancy.known ?? { count: 0, shown: 0, slots: 0, motd: '' }
  const isProxy = type === 'PROXY'
  const isUnknown = state === 'ONLINE' && !isProxy && count === undefined
  const startedAt = life?.running.startedAt ?? record?.startedAt
  return {
    name,
    state,
    type,
    groupName: group.name,
    hostname: life?.running.host ?? hostOf(group) ?? engine.host,
    port,
    // Nobody measures templates: walking all files for a list would cost more than it tells.
    templates: layers.map(layer => ({ name: layer.name, size: 'unknown' })),
    properties: recipe?.properties ?? textsOf(group.properties),
    minMemory: recipe?.minMemory ?? group.minMemory,
    maxMemory: recipe?.maxMemory ?? group.maxMemory,
    playerCount: isProxy ? -1 : shown,
    maxPlayerCount: isProxy ? -1 : slots,
    ...(isUnknown ? { playersKnown: false } : {}),
    memoryUsage: life?.usage.memory ?? 0,
    cpuUsage: life?.usage.cpu ?? 0,
    motd,
    createdAt,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(record?.lastExit === undefined ? {} : { lastExit: record.lastExit })
  }
}
