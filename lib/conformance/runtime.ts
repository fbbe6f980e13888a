import type { Group } from '../../types/resources.js'
import type { CloudRuntime, MaybePromise } from '../../types/runtime.js'
import { consoles, printing } from './runtime/consoles.js'
import { groupControl } from './runtime/group-control.js'
import { groupDeletion } from './runtime/group-deletion.js'
import { groupList, groups, reasons } from './runtime/groups.js'
import { listCases, revisionCase, type List } from './runtime/listed.js'
import { metrics } from './runtime/metrics.js'
import { platformList, platforms } from './runtime/platforms.js'
import { joining, playerList, players } from './runtime/players.js'
import { serviceControl } from './runtime/service-control.js'
import { serviceStarts } from './runtime/service-starts.js'
import { serviceList, services } from './runtime/services.js'
import { Stage } from './runtime/stage.js'
import { templateList, templates, templatesInUse } from './runtime/templates.js'
import { terminal } from './runtime/terminal.js'
import { log, states } from './runtime/watching.js'
import { absent, cases, look, type Case, type Disposable, type TestFunction } from './suite.js'

/** One new runtime, and what the suite needs to act on it. */
export interface RuntimeUnderTest extends Disposable {
  readonly runtime: CloudRuntime
  /**
   * A group that is not there yet and that the runtime could make: its platform and version are listed. The suite
   * creates it, with minimum and maximum of its own. Needed where there is `groups.control`; where there is not, one
   * service has to be ONLINE.
   */
  readonly group?: Group
  /** Lets a moment pass between two looks. Default: waits 20 ms; a runtime with a clock of its own moves that. */
  pause? (): MaybePromise<void>
  /** How long anything may take, a start for instance; milliseconds. Default 15,000. */
  readonly within?: number
  /** Lets a player join a service that is ONLINE, and answers how that player leaves. */
  join? (service: string): MaybePromise<() => MaybePromise<void>>
  /** Lets a service that is ONLINE print a line on its console. */
  print? (service: string, line: string): MaybePromise<void>
  /** Counts what is left of a group on the machine (processes, containers), as the machine itself knows it. */
  remains? (group: string): MaybePromise<number>
}

/** What `runtimeConformance` takes. */
export interface RuntimeConformance {
  /** Your runner's: tap's `t.test` and `node:test`'s `test` as they are. */
  readonly test: TestFunction
  /** Makes a new runtime; called for every case. */
  create (): MaybePromise<RuntimeUnderTest>
}

/** A function that adds the cases of one capability. */
export type RuntimeCases = (add: Case<Stage>) => Promise<void>

const lists: ReadonlyArray<List<unknown>> = [serviceList, groupList, platformList, playerList, templateList]

/**
 * Adds a test for every sentence of the contract of `CloudRuntime`; what the runtime leaves out is skipped by name.
 * Resolves when all are added and, where the runner's tests can be awaited, done; rejects when `create` does.
 */
export async function runtimeConformance ({ test, create }: RuntimeConformance): Promise<void> {
  const has = await look(create, ({ runtime, join, print }) => ({
    revisions: new Set(lists.filter(list => list.of(runtime)?.revision !== undefined)),
    services: runtime.services.control !== undefined,
    groups: runtime.groups.control !== undefined,
    templates: runtime.templates !== undefined,
    reasons: runtime.groups.reasons !== undefined,
    terminal: runtime.terminal !== undefined,
    states: runtime.states !== undefined && runtime.services.control !== undefined,
    log: runtime.log !== undefined,
    consoles: runtime.consoles !== undefined,
    print: print !== undefined,
    join: join !== undefined
  }))
  const add = cases(test, async () => new Stage(await create()))
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
  await groups(add)
  if (has.reasons) await reasons(add)
  else await absent(test, 'groups.reasons', runtimeSays)
  if (has.services && has.groups) await serviceStarts(add)
  if (has.groups) for (const capability of [groupControl, groupDeletion]) await capability(add)
  else await absent(test, 'groups.control', runtimeSays)
  if (has.templates) await templates(add)
  else await absent(test, 'templates', runtimeSays)
  if (has.templates && has.groups) await templatesInUse(add)
  await platforms(add)
  await players(add)
  if (has.join) await joining(add)
  else await absent(test, 'a player who joins', 'the author says')
  await metrics(add)
  if (has.terminal) await terminal(add)
  else await absent(test, 'terminal', runtimeSays)
  if (has.states) await states(add)
  else await absent(test, 'states', runtimeSays)
  if (has.log) await log(add)
  else await absent(test, 'log', runtimeSays)
  if (has.consoles) await consoles(add)
  else await absent(test, 'consoles', runtimeSays)
  if (has.consoles && has.print) await printing(add)
  else if (has.consoles) await absent(test, 'a service that prints', 'the author says')
}
