/** The suite for runtimes: which cases there are for what a runtime offers. */
import assert from 'node:assert/strict'
import type { MaybePromise } from '../../types/runtime.js'
import { besides } from './runtime/beside.js'
import { consoleEnds } from './runtime/console-ends.js'
import { consoleLives } from './runtime/console-lives.js'
import { consoles, printing } from './runtime/consoles.js'
import { Findings } from './runtime/findings.js'
import { groupControl } from './runtime/group-control.js'
import { deletionAmid } from './runtime/deletion-amid.js'
import { groupDeletion, stuckServices } from './runtime/group-deletion.js'
import { groupRestarts } from './runtime/group-restarts.js'
import { groupDrains, groupRolls } from './runtime/group-rolls.js'
import { givenUp } from './runtime/given-up.js'
import { givingUp } from './runtime/giving-up.js'
import { groupList, groups, lostReasons, properties, reasons } from './runtime/groups.js'
import { failedDeletions } from './runtime/failed-deletions.js'
import { fields } from './runtime/fields.js'
import { figures } from './runtime/figures.js'
import { atEveryLook } from './runtime/invariants.js'
import { downloads } from './runtime/downloads.js'
import { lateStarts } from './runtime/late-starts.js'
import { commandLines, terminalLines } from './runtime/lines.js'
import { lives } from './runtime/lives.js'
import { keeping } from './runtime/keeping.js'
import { lastLines, pasts } from './runtime/last-lines.js'
import { listCases, revisionCase, type List } from './runtime/listed.js'
import { metrics, newUptime } from './runtime/metrics.js'
import { pairs } from './runtime/pairs.js'
import { platformList, platforms } from './runtime/platforms.js'
import { crowds, joining, playerList, players, stranded } from './runtime/players.js'
import { reach } from './runtime/reach.js'
import { rollCalls } from './runtime/roll-calls.js'
import { rollsAmid } from './runtime/rolls-amid.js'
import { rollDeaths, rollProgress } from './runtime/roll-deaths.js'
import { rollTurns } from './runtime/roll-turns.js'
import { rollsBeside } from './runtime/rolls-beside.js'
import { secondChanges } from './runtime/second-changes.js'
import { sentences } from './runtime/sentences.js'
import { sequences } from './runtime/sequences.js'
import { serviceControl } from './runtime/service-control.js'
import { serviceStarts } from './runtime/service-starts.js'
import { serviceList, services, serviceTypes } from './runtime/services.js'
import * as shapes from './runtime/shapes.js'
import { Stage, mayBeOnline } from './runtime/stage.js'
import { survival } from './runtime/survival.js'
import { table } from './runtime/table.js'
import { fileSentences } from './runtime/template-file-sentences.js'
import { templatesAlike } from './runtime/template-alike.js'
import { changesSurvive, templateChanges } from './runtime/template-changes.js'
import { templateEdges, templateNames } from './runtime/template-edges.js'
import { templateLetters } from './runtime/template-letters.js'
import { templateMeanwhile } from './runtime/template-meanwhile.js'
import { templateFiles } from './runtime/template-files.js'
import { templateSurvival, templateTakes } from './runtime/template-takes.js'
import { templateList, templates, templatesInUse } from './runtime/templates.js'
import { terminal } from './runtime/terminal.js'
import { told } from './runtime/told.js'
import { unending } from './runtime/unending.js'
import { untouched, untouchedByRestarts } from './runtime/untouched.js'
import type { RuntimeUnderTest } from './runtime/under-test.js'
import { lastStates, log, states } from './runtime/watching.js'
import type { SequenceOptions } from './sequence-options.js'
import { createQueue } from './queue.js'
import { absent, cases, look, type TestFunction } from './suite.js'

/** What `runtimeConformance` takes. */
export interface RuntimeConformance {
  /** Your runner's: tap's `t.test` and `node:test`'s `test` as they are. */
  readonly test: TestFunction
  /** Makes a new runtime; called for every case. */
  create (): MaybePromise<RuntimeUnderTest>
  /**
   * How many cases are tried at once, each on a runtime of its own that `create` makes. 1: one after the other, for runtimes
   * that share a port, a directory, or a clock that moves for all. Default: 16 where a service is ONLINE within 50 ms, fewer
   * where that takes longer, and 1 from 400 ms on; 1 as well where `now`, beside a `pause`, does not pass by itself or is absent,
   * and where two runtimes that are open at once disturb each other, as far as that can be seen.
   */
  readonly concurrency?: number
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
export async function runtimeConformance ({ test, create, concurrency, sequences: options }: RuntimeConformance): Promise<void> {
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
      downloads: runtime.platforms.downloads !== undefined,
      templates: runtime.templates !== undefined,
      templateFiles: runtime.templates?.files !== undefined,
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
  const atOnce = concurrency ?? await besides(create)
  const { inTurn, beside, run } = createQueue(test)
  const add = cases(beside, async () => new Stage(await create(), findings), { limit: stage => stage.limit, doing: stage => stage.doing, promises: { ...sentences, ...fileSentences } })
  const runtimeSays = 'the runtime says'

  for (const list of lists) {
    if (list === templateList && !has.templates) continue
    await listCases(add, list)
    if (has.revisions.has(list)) for (const capability of [async (to: typeof add) => await revisionCase(to, list), secondChanges(list, has)]) await capability(add)
    else await absent(inTurn, `${list.name}.revision`, runtimeSays)
  }
  await services(add)
  if (has.services) for (const capability of [serviceControl, commandLines]) await capability(add)
  else await absent(inTurn, 'services.control', runtimeSays)
  if (!has.force) await absent(inTurn, 'services.force', runtimeSays)
  await groups(add)
  if (has.reasons) for (const capability of [reasons, ...has.groups ? [lostReasons] : []]) await capability(add)
  else await absent(inTurn, 'groups.reasons', runtimeSays)
  if (has.services && has.groups) for (const capability of [serviceStarts, serviceTypes, untouched]) await capability(add)
  if (has.groups) for (const capability of [groupControl, groupDeletion]) await capability(add)
  else await absent(inTurn, 'groups.control', runtimeSays)
  if (has.groups && has.services) await deletionAmid(has)(add)
  if (has.groups) await fields(has)(add)
  if (has.groups) await givingUp(has)(add)
  await givenUp(has)(add)
  if (has.groups && has.properties) await properties(add)
  if (has.groups && has.services && has.restarts) for (const capability of [groupRestarts, groupRolls, rollsBeside, untouchedByRestarts, rollsAmid(has), rollTurns(has), rollCalls(has), rollDeaths(has), ...has.join ? [groupDrains, rollProgress] : []]) await capability(add)
  else await absent(inTurn, 'groups.restarts', runtimeSays)
  if (has.groups && has.reopen) await survival(has)(add)
  else if (has.groups) await absent(inTurn, 'a core that starts anew', 'the author says')
  if (has.templates) for (const capability of [templates, templateNames(has)]) await capability(add)
  else await absent(inTurn, 'templates', runtimeSays)
  if (has.templateFiles) for (const capability of [templateFiles, templateTakes, templateChanges, templateEdges, templateMeanwhile, templatesAlike, templateLetters, ...has.reopen ? [templateSurvival, changesSurvive] : []]) await capability(add)
  else if (has.templates) await absent(inTurn, 'templates.files', runtimeSays)
  if (has.templates && has.groups) await templatesInUse(add)
  await platforms(add)
  if (has.downloads) await downloads(add)
  else await absent(inTurn, 'platforms.downloads', runtimeSays)
  if (has.groups && has.stuck) for (const capability of [stuckServices, failedDeletions(has)]) await capability(add)
  else if (has.groups) await absent(inTurn, 'a service that cannot be stopped', 'the author says')
  if (has.groups && has.stuck && has.services) await unending(has)(add)
  await players(add)
  if (has.join) await joining(add)
  else await absent(inTurn, 'a player who joins', 'the author says')
  if (has.join && has.groups && has.services) for (const capability of [crowds, stranded(has)]) await capability(add)
  await metrics(add)
  if (has.reopen) await newUptime(add)
  await figures(has)(add)
  if (has.terminal) for (const capability of [terminal, terminalLines]) await capability(add)
  else await absent(inTurn, 'terminal', runtimeSays)
  if (has.states) for (const capability of has.groups ? [states, lastStates] : [states]) await capability(add)
  else await absent(inTurn, 'states', runtimeSays)
  if (has.log && has.services) await log(add)
  else await absent(inTurn, has.log ? 'services.control, so that something is logged' : 'log', runtimeSays)
  await told(has)(add)
  if (has.consoles) await consoles(add)
  else await absent(inTurn, 'consoles', runtimeSays)
  if (has.consoles && has.print && has.crash) await lastLines(add)
  if (has.consoles && has.print) for (const capability of [printing, pasts, consoleLives(has)]) await capability(add)
  else if (has.consoles) await absent(inTurn, 'a service that prints', 'the author says')
  if (has.consoles && has.print && has.groups && has.services) await consoleEnds(has)(add)
  if (has.groups) await keeping(has)(add)
  if (has.groups && has.services) await pairs({ ...has, prints: has.consoles && has.print })(add)
  if (has.groups && has.services) await lives({ ...has, prints: has.consoles && has.print })(add)
  if (has.groups && has.services) for (const capability of [lateStarts(has), reach(has)]) await capability(add)
  if (has.services) await table(has)(add)
  if (has.groups) await sequences(add, inTurn, async () => await create(), has, findings, atOnce, options)
  await atEveryLook(findings, inTurn)
  await run(atOnce)
}

/** Finds out before the first case what would fail in all of them. */
async function checkSubject (subject: RuntimeUnderTest): Promise<void> {
  const { runtime, group } = subject
  shapes.parts(runtime, 'runtime')
  if (runtime.groups.control === undefined) return mayBeOnline(await new Stage(subject).services())
  assert.ok(group !== undefined, 'create() must answer a `group` that the runtime can make: groups.control cannot be tried without it')
  shapes.group(group, 'the `group` that create() answers')
}
