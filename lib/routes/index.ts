/** All routes, in the order of the specification. */
import { auditRoutes } from './audit.js'
import { authRoutes } from './auth.js'
import { eventRoutes } from './events.js'
import { groupRoutes } from './groups.js'
import { healthRoutes } from './health.js'
import { keyRoutes } from './keys.js'
import { liveRoutes } from './live.js'
import { metricRoutes } from './metrics.js'
import { platformRoutes } from './platforms.js'
import { playerRoutes } from './players.js'
import { roleRoutes } from './roles.js'
import type { Routes } from './parts.js'
import { selfRoutes } from './self.js'
import { serviceRoutes } from './services.js'
import { systemRoutes } from './system.js'
import { templateFileRoutes } from './template-files.js'
import { templateRoutes } from './templates.js'
import { terminalRoutes } from './terminal.js'
import { userRoutes } from './users.js'

export const allRoutes: readonly Routes[] = [
  authRoutes, userRoutes, selfRoutes, keyRoutes, roleRoutes, systemRoutes, templateRoutes, templateFileRoutes, serviceRoutes, playerRoutes, groupRoutes,
  platformRoutes, terminalRoutes, auditRoutes, healthRoutes, liveRoutes, eventRoutes, metricRoutes
]
