/** The cases of `metrics`: samples have the units of the contract. */
import assert from 'node:assert/strict'
import * as shapes from './shapes.js'
import type { RuntimeCases } from './stage.js'

/** Milliseconds by which two looks at one clock may differ. */
const SLACK_MS = 25

/** The contract of the uptime, where the author can end the core. */
export const newUptime: RuntimeCases = async add => {
  await add('metrics.sample: the uptime counts from the start of the core, and anew after a new start', async stage => {
    if (stage.now === undefined) return
    const sample = async () => (await stage.settled(stage.runtime.metrics.sample(stage.options), 'metrics.sample')).uptime
    for (let pauses = 0; pauses < 8; pauses++) await stage.pause()
    const before = await sample()
    const began = stage.now!
    await stage.reopen()
    const from = process.uptime() * 1_000
    const uptime = await sample()
    const to = process.uptime() * 1_000
    const passed = stage.now! - began
    // A clock of whole seconds.
    const slack = uptime % 1_000 === 0 ? 1_000 : SLACK_MS
    // The process that the suite runs in did not end: it may be the core.
    const isOfProcess = uptime >= from - slack && uptime <= to + slack
    assert.ok(isOfProcess || uptime <= passed + slack, `the core was started anew ${passed} ms ago at most, its uptime was ${before} before that, and is ${uptime}`)
  })
}

/** The contract of `Metrics`. */
export const metrics: RuntimeCases = async add => {
  await add('metrics.sample answers percent of the whole machine, MB, a name and an uptime', async stage => {
    for (let samples = 0; samples < 3; samples++) {
      shapes.sample(await stage.settled(stage.runtime.metrics.sample(stage.options), 'metrics.sample'), 'sample')
      await stage.pause()
    }
  })

  await add('metrics.sample: the uptime counts from the start of the core, not from the first sample', async stage => {
    const began = stage.now
    if (began === undefined) return
    for (let pauses = 0; pauses < 6; pauses++) await stage.pause()
    const sample = async () => (await stage.settled(stage.runtime.metrics.sample(stage.options), 'metrics.sample')).uptime
    const first = await sample()
    await stage.pause()
    const passed = stage.now! - began
    const uptime = await sample()
    // A clock of whole seconds may have stood still.
    const isCoarse = first % 1_000 === 0 && uptime % 1_000 === 0
    assert.ok(isCoarse || uptime >= passed / 2, `the core has run for ${passed} ms at least, and its uptime was ${first}, and ${uptime} a moment later`)
  })

  await add('metrics.sample: the uptime grows', async stage => {
    const uptime = async () => (await stage.settled(stage.runtime.metrics.sample(stage.options), 'metrics.sample')).uptime
    const before = await uptime()
    let now = before
    await stage.until('the uptime has grown', async () => {
      now = await uptime()
      assert.ok(now >= before, `the uptime went back from ${before} to ${now}`)
      return now > before
    }, () => `${now}, as at first`)
  })
}
