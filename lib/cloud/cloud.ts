/** The rules about the runtime's things, put together. */
import type { FastifyBaseLogger } from 'fastify'
import type { Settings } from '../options.js'
import { type CallWatch, createDeadline } from './deadline.js'
import { type RuntimeEvents, createRuntimeEvents } from './runtime-events.js'
import { createFaults } from './faults.js'
import { type Groups, createGroups } from './groups.js'
import { type Lists, createLists } from './lists.js'
import { type Readiness, createReadiness } from './readiness.js'
import { type Services, createServices } from './services.js'
import { type Templates, createTemplates } from './templates.js'
import { type TemplateFiles, createTemplateFiles } from './template-files.js'
import { type Terminal, createTerminal } from './terminal.js'
import { createTurns } from './turns.js'

/** Verbs on templates that one user has under way, beside uploads; as many as those. */
const verbsOfParty = 4

export interface Cloud {
  readonly lists: Lists
  readonly groups: Groups
  readonly services: Services
  readonly templates: Templates
  readonly templateFiles: TemplateFiles
  readonly terminal: Terminal
  /** What the runtime tells by itself. */
  readonly events: RuntimeEvents
  /** Whether storage and runtime answer. */
  readiness (): Promise<Readiness>
}

export function createCloud (settings: Settings, log: FastifyBaseLogger, closing: AbortSignal, calls: CallWatch): Cloud {
  const { runtime, storage, clock, version, runtimeTimeout, deleteTimeout } = settings
  const withDeadline = createDeadline(runtimeTimeout, log, closing, calls)
  const faults = createFaults(log, closing)
  const all = createLists(runtime, withDeadline, runtimeTimeout, faults)
  const templateTurns = createTurns()
  const verbTurns = createTurns(verbsOfParty)
  const parts = {
    groups: createGroups(runtime, { lists: all, withDeadline, clock, runtimeTimeout, deleteTimeout, templateTurns }),
    services: createServices(runtime, withDeadline)
  }
  return {
    ...parts,
    lists: all,
    events: createRuntimeEvents(runtime, withDeadline, faults, log),
    readiness: createReadiness(storage, runtime, withDeadline),
    templates: createTemplates(runtime, { withDeadline, runtimeTimeout, templateTurns, verbTurns }),
    templateFiles: createTemplateFiles(runtime, { settings, withDeadline, verbTurns, faults, closing }),
    terminal: createTerminal({ runtime, lists: all, withDeadline, version, ...parts })
  }
}
