/** What all services stand on. Nothing here knows a service. */
import type { Engine } from '../../../../types/engine.js'
import type { Changes } from '../changes.js'
import type { Scheduler } from '../clock.js'
import type { Settings } from '../options.js'
import type { Network } from '../players/network.js'
import type { Content } from '../content/content.js'
import type { PlatformDownloads } from '../downloads/downloads.js'
import type { Proxies } from '../network/proxies.js'
import type { Ports } from './ports.js'
import type { Records } from './record.js'

export interface Parts {
  readonly engine: Engine
  readonly clock: Scheduler
  readonly settings: Settings
  readonly content: Content
  readonly downloads: PlatformDownloads
  readonly ports: Ports
  readonly records: Records
  readonly network: Network
  readonly changes: Changes
  readonly proxies: Pick<Proxies, 'arrange' | 'park' | 'vacate' | 'release'>
  /** Aborted when the fleet closes: nothing starts after it. */
  readonly closing: AbortSignal
}
