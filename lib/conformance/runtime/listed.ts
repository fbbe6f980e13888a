/** What holds for every list. */
import assert from 'node:assert/strict'
import type { CloudRuntime, Listed } from '../../../types/runtime.js'
import { byValue, type Case, same, show } from '../suite.js'
import type { Stage } from './stage.js'

/** One list, and how to make it answer differently where that can be done. */
export interface List<T> {
  readonly name: string
  of (runtime: CloudRuntime): Listed<T> | undefined
  change (stage: Stage): Promise<void>
}

/** Adds the case of every list. */
export async function listCases<T> (add: Case<Stage>, { name, of, change }: List<T>): Promise<void> {
  await add(`${name}.list: what was handed out stays as it was`, async stage => {
    const before = await stage.settled(of(stage.runtime)?.list(stage.options), `${name}.list`)
    const copy = byValue(before)
    await change(stage)
    same(before, copy, `a list that ${name}.list has answered was changed afterwards: answer a new one instead`)
  })
}

/** Adds the case of a list that carries a revision. */
export async function revisionCase<T> (add: Case<Stage>, { name, of, change }: List<T>): Promise<void> {
  await add(`${name}.revision moves whenever the list would answer differently`, async stage => {
    const list = of(stage.runtime)
    const seen = new Map<number | undefined, unknown>()
    const look = async (): Promise<void> => {
      // Read just before the list, as the plugin does.
      const revision = list?.revision
      assert.ok(Number.isFinite(revision), `${name}.revision must be a number, and is ${show(revision)}`)
      const items = byValue(await stage.settled(list?.list(stage.options), `${name}.list`))
      // It changed meanwhile: then the list may be the old one or the new one.
      if (list?.revision !== revision) return
      if (seen.has(revision)) same(items, seen.get(revision), `${name}.list changed and ${name}.revision stayed ${revision}: is it a getter, and does every change move it?`)
      else seen.set(revision, items)
    }
    await look()
    const state = { over: false }
    const changing = change(stage).finally(() => { state.over = true })
    // Awaited below; a failure there must not count as one that nobody hears of.
    changing.catch(() => {})
    while (!state.over) {
      await look()
      await stage.pause()
    }
    await changing
    await look()
  })
}

/** Checks that nothing is listed twice. */
export function once<T> (items: readonly T[], key: (item: T) => string): void {
  same(items.map(key).filter((each, index, all) => all.indexOf(each) !== index), [], 'nothing is listed twice')
}
