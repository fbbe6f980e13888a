/** The rules about the runtime's things, put together. */
import type { FastifyBaseLogger } from 'fastify'
import type { Settings } from '../options.js'
import { calls } from './calls.js'
import { createFaults } from './faults.js'
import { type Groups, groups } from './groups.js'
import { type Lists, lists } from './lists.js'
import { type Services, services } from './services.js'
import { type Templates, templates } from './templates.js'
import { type Terminal, terminal } from './terminal.js'

export interface Cloud {
  readonly lists: Lists
  readonly groups: Groups
  readonly services: Services
  readonly templates: Templates
  readonly terminal: Terminal
}

export function cloud (
  { runtime, clock, version, runtimeTimeout, deleteTimeout }: Settings, log: FastifyBaseLogger, closing: AbortSignal
): Cloud {
  const call = calls(runtimeTimeout, log, closing)
  const all = lists(runtime, call, createFaults(log, closing))
  const parts = {
    groups: groups(runtime, all, call, clock, deleteTimeout),
    services: services(runtime, call)
  }
  return {
    ...parts,
    lists: all,
    templates: templates(runtime, call),
    terminal: terminal({ runtime, lists: all, call, version, ...parts })
  }
}
