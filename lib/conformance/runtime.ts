/** The suite for runtimes: which cases there are for what a runtime offers. */
import assert from 'node:assert/strict'
import type { MaybePromise } from '../../types/runtime.js'
import { consoles, lastLines, printing } from './runtime/consoles.js'
import { Findings } from './runtime/findings.js'
import { groupControl } from './runtime/group-control.js'
import { groupDeletion, stuckServices } from './runtime/group-deletion.js'
import { groupRestarts } from './runtime/group-restarts.js'
import { groupList, groups, properties, reasons } from './runtime/groups.js'
import { figures } from './runtime/figures.js'
import { atEveryLook } from './runtime/invariants.js'
import { keeping } from './runtime/keeping.js'
import { listCases, revisionCase, type List } from './runtime/listed.js'
import { metrics } from './runtime/metrics.js'
import { platformList, platforms } from './runtime/platforms.js'
import { crowds, joining, playerList, players } from './runtime/players.js'
import { sentences } from './runtime/sentences.js'
import { sequences } from './runtime/sequences.js'
import { serviceControl } from './runtime/service-control.js'
import { serviceStarts } from './runtime/service-starts.js'
import { serviceList, services } from './runtime/services.js'
import * as shapes from './runtime/shapes.js'
import { Stage, mayBeOnline } from './runtime/stage.js'
import { survival } from './runtime/survival.js'
import { table } from './runtime/table.js'
import { templateList, templates, templatesInUse } from './runtime/templates.js'
import { terminal } from './runtime/terminal.js'
import type { RuntimeUnderTest } from './runtime/under-test.js'
import { log, states } from './runtime/watching.js'
import type { SequenceOptions } from './random.js'
import { absent, cases, look, type TestFunction } from './suite.js'

/** What `runtimeConformance` takes. */
export interface RuntimeConformance {
  /** Your runner's: tap's `t.test` and `node:test`'s `test` as they are. */
  readonly test: TestFunction
  /** Makes a new runtime; called for every case. */
  create (): MaybePromise<RuntimeUnderTest>
  /** How the random sequences are made. */
  readonly sequences?: SequenceOptions
}

const lists: ReadonlyArray<List<unknown>> = [serviceList, groupList, platformList, playerList, templateList]

/**
 * Adds a test for every sentence of the contract of `CloudRuntime`; what the runtime leaves out is skipped by name.
 * Resolves when all are added and, where the runner's tests can be awaited, done. Rejects, before the first test, when
 * `create` does and when what it answers cannot be tried: `group` missing or not whole with `groups.control`, no service
 * ONLINE without.
 */
export async function runtimeConformance ({ test, create, sequences: options }: RuntimeConformance): Promise<void> {
  const has = await look(create, async subject => {
    await checkSubject(subject)
    const { runtime, join, print, reopen, crash, stuck } = subject
    return {
      revisions: new Set(lists.filter(list => list.of(runtime)?.revision !== undefined)),
      services: runtime.services.control !== undefined,
      force: runtime.services.force !== undefined && runtime.services.control !== undefined,
      properties: runtime.groups.properties !== undefined,
      restarts: runtime.groups.restarts !== undefined,
      groups: runtime.groups.control !== undefined,
      templates: runtime.templates !== undefined,
      reasons: runtime.groups.reasons !== undefined,
      terminal: runtime.terminal !== undefined,
      states: runtime.states !== undefined && runtime.services.control !== undefined,
      log: runtime.log !== undefined,
      consoles: runtime.consoles !== undefined,
      print: print !== undefined,
      join: join !== undefined,
      reopen: reopen !== undefined,
      crash: crash !== undefined,
      stuck: stuck !== undefined
    }
  })
  const findings = new Findings()
  const add = cases(test, async () => new Stage(await create(), findings), { limit: stage => stage.limit, doing: stage => stage.doing, promises: sentences })
  const runtimeSays = 'the runtime says'

  for (const list of lists) {
    if (list === templateList && !has.templates) continue
    await listCases(add, list)
    if (has.revisions.has(list)) await revisionCase(add, list)
    else await absent(test, `${list.name}.revision`, runtimeSays)
  }
  await services(add)
  if (has.services) await serviceControl(add)
  else await absent(test, 'services.control', runtimeSays)
  if (!has.force) await absent(test, 'services.force', runtimeSays)
  await groups(add)
  if (has.reasons) await reasons(add)
  else await absent(test, 'groups.reasons', runtimeSays)
  if (has.services && has.groups) await serviceStarts(add)
  if (has.groups) for (const capability of [groupControl, groupDeletion]) await capability(add)
  else await absent(test, 'groups.control', runtimeSays)
  if (has.groups && has.properties) await properties(add)
  if (has.groups && has.services && has.restarts) await groupRestarts(add)
  else await absent(test, 'groups.restarts', runtimeSays)
  if (has.groups && has.reopen) await survival(has)(add)
  else if (has.groups) await absent(test, 'a core that starts anew', 'the author says')
  if (has.templates) await templates(add)
  else await absent(test, 'templates', runtimeSays)
  if (has.templates && has.groups) await templatesInUse(add)
  await platforms(add)
  if (has.groups && has.stuck) await stuckServices(add)
  else if (has.groups) await absent(test, 'a service that cannot be stopped', 'the author says')
  await players(add)
  if (has.join) await joining(add)
  else await absent(test, 'a player who joins', 'the author says')
  if (has.join && has.groups && has.services) await crowds(add)
  await metrics(add)
  await figures(has)(add)
  if (has.terminal) await terminal(add)
  else await absent(test, 'terminal', runtimeSays)
  if (has.states) await states(add)
  else await absent(test, 'states', runtimeSays)
  if (has.log && has.services) await log(add)
  else await absent(test, has.log ? 'services.control, so that something is logged' : 'log', runtimeSays)
  if (has.consoles) await consoles(add)
  else await absent(test, 'consoles', runtimeSays)
  if (has.consoles && has.print && has.crash) await lastLines(add)
  if (has.consoles && has.print) await printing(add)
  else if (has.consoles) await absent(test, 'a service that prints', 'the author says')
  if (has.groups) await keeping(has)(add)
  if (has.services) await table(has)(add)
  if (has.groups) await sequences(add, test, async () => await create(), has, findings, options)
  await atEveryLook(findings)(add)
}

/** Finds out before the first case what would fail in all of them. */
async function checkSubject (subject: RuntimeUnderTest): Promise<void> {
  const { runtime, group } = subject
  shapes.parts(runtime, 'runtime')
  if (runtime.groups.control === undefined) return mayBeOnline(await new Stage(subject).services())
  assert.ok(group !== undefined, 'create() must answer a `group` that the runtime can make: groups.control cannot be tried without it')
  shapes.group(group, 'the `group` that create() answers')
}
