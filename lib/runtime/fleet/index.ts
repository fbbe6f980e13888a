/**
 * `fastify-cloud/runtime/fleet`: what a cloud is, whatever it runs on: groups that keep themselves, scaling, names and
 * ports, players, templates, platforms. It stands on an `Engine`; whoever writes one gets the rest.
 *
 * ```js
 * const runtime = await openFleet({ engine: myEngine(), directory: './cloud', log: entry => console.log(entry.message) })
 * await fastify.register(cloud, { runtime, … })
 * fastify.addHook('onClose', () => runtime.close())
 * ```
 */
export type * from '../../../types/engine.js'
export { systemClock, type Scheduler } from './clock.js'
export { bytesIn, rawPath, textIn } from './bytes.js'
export { fillPlan, type FilledPlan, type Place } from './content/placeholders.js'
export type { PlatformDefinition } from './content/platform-definition.js'
export type { Platforms } from './content/platforms.js'
export type { TextStore } from './content/text-store.js'
export type { Templates } from './content/templates.js'
export { entriesIn } from './entries.js'
export { codeOf, DefinitionError, SetupError, textOf } from './faults.js'
export { lockDirectory, type Lock } from './lock.js'
export type { Core } from './metrics.js'
export { createFleet, openFleet, type Fleet, type FleetOptions, type World } from './open.js'
export { settle, settleNumbers, wrongOption, type FleetSettings, type Limits, type Log, type LogEntry, type PortRange, type Settings, type Timing } from './options.js'
export type { Network } from './players/network.js'
export { isLink, isNothing, LONGEST_RECORD, NotPlainError, openPlain, readNote, sizeOfPlain } from './plain-file.js'
export { createGate } from './queue.js'
export { removeTree } from './remove.js'
export { createLater, run, wait, type Later } from './task.js'
