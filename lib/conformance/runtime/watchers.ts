/** What holds for everything that can be watched, however many watch it. */
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import type { CallOptions } from '../../../types/runtime.js'
import { same, show, type Case } from '../suite.js'
import type { Stage } from './stage.js'

/** Something to be watched, and how to make it happen. */
export interface Source {
  readonly name: string
  /** Makes ready, and answers what makes something happen each time that it is called. */
  prepare (stage: Stage): Promise<Scenery>
}

export interface Scenery {
  listen (listener: (event: unknown) => void, options: CallOptions): unknown
  /** Something happens, and has been told by the time that this is over. */
  provoke (): Promise<void>
  /** The same, begun only: it answers in the turn of the call, and what happens may still be on its way. */
  begin (): void
  /** Nobody watches any more. */
  end? (): void
}

/** This often it is looked whether all have been told. */
const LOOKS = 50
/** This often somebody who watches gets a moment to begin. */
const MOMENTS = 10
/** This often more is made to happen where what has happened was not told: a log need not have a line for everything. */
const MORE = 4

/** Adds the cases of one source. */
export async function watcherCases (add: Case<Stage>, { name, prepare }: Source): Promise<void> {
  const open = async (stage: Stage) => {
    const { listen, provoke, begin, end } = await prepare(stage)
    const watchers: Array<{ readonly heard: unknown[], readonly end: AbortController }> = []
    const watch = async (hears: (event: unknown) => void = () => {}, end = new AbortController()) => {
      const heard: unknown[] = []
      watchers.push({ heard, end })
      const answer = Promise.resolve(listen(event => {
        heard.push(event)
        hears(event)
      }, { signal: end.signal }))
      // It may last until the abort, or reject later; whoever needs a moment to begin gets one.
      answer.catch(() => {})
      const moments = async (): Promise<void> => {
        for (let count = 0; count < MOMENTS; count++) await stage.pause()
      }
      await Promise.race([answer, moments()])
      return { heard, end }
    }
    return {
      listen,
      watch,
      begin,
      /** Something happens; those who are told later than others get a moment. */
      async provoke () {
        await provoke()
        const last = () => new Set(watchers.filter(({ end }) => !end.signal.aborted).map(({ heard }) => JSON.stringify(heard.at(-1))))
        for (let looks = 0; looks < LOOKS && last().size > 1; looks++) await stage.pause()
      },
      close () {
        end?.()
        for (const { end } of watchers) end.abort()
      }
    }
  }

  await add(`${name}: everybody who watches hears everything, once and in the same order`, async stage => {
    const { watch, provoke, close } = await open(stage)
    const [first, second] = [await watch(), await watch()]
    await provoke()
    const third = await watch()
    const before = second.heard.length
    await provoke()
    same(first.heard, second.heard, `two who watched ${name} from the same moment on must hear the same`)
    same(third.heard, first.heard.slice(before), `who watches ${name} later must hear what happens from then on, and nothing else`)
    close()
  })

  await add(`${name}: the abort of one is no other's`, async stage => {
    const { watch, provoke, close } = await open(stage)
    const watchers = [await watch(), await watch(), await watch()] as const
    await provoke()
    const gone = watchers[1]
    gone.end.abort()
    const heard = gone.heard.length
    await provoke()
    const isUntold = (): boolean => heard > 0 && watchers[0].heard.length <= heard
    for (let more = 0; more < MORE && isUntold(); more++) await provoke()
    same(gone.heard.slice(heard), [], `nothing of ${name} may be told after the abort`)
    same(watchers[2].heard, watchers[0].heard, `the others who watch ${name} must hear all that happens after the abort of one`)
    assert.ok(!isUntold(), `those who watch ${name} must hear what happens after the abort of another, and heard nothing after ${show(watchers[0].heard)}`)
    close()
  })

  await add(`${name}: nothing is told after an abort, what is on its way included`, async stage => {
    const { watch, begin, close } = await open(stage)
    const { heard, end } = await watch()
    const control = await watch()
    begin()
    end.abort()
    const told = heard.length
    for (let looks = 0; looks < 5; looks++) {
      await turn()
      await stage.pause()
    }
    same(heard.slice(told), [], `nothing of ${name} may be told after the abort, and who watched on heard ${show(control.heard)}`)
    close()
  })

  await add(`${name}: who aborts while it is told hears nothing more`, async stage => {
    const { watch, provoke, close } = await open(stage)
    const own = new AbortController()
    const { heard } = await watch(() => { own.abort() }, own)
    const later = await watch()
    let atAbort: number | undefined
    const after = new AbortController()
    await watch(() => {
      later.end.abort()
      atAbort ??= later.heard.length
      after.abort()
    })
    // It began after the one that aborts it, which is told first: of that very event it hears nothing, or has heard it before.
    let late = 0
    await watch(() => { if (after.signal.aborted) late++ }, after)
    const control = await watch()
    await provoke()
    await provoke()
    const isUntold = (): boolean => heard.length > 0 && control.heard.length <= 1
    for (let more = 0; more < MORE && isUntold(); more++) await provoke()
    assert.ok(heard.length <= 1, `who aborts at the first event of ${name} may hear no second one, and heard ${show(heard)}`)
    same(later.heard.slice(atAbort), [], `who was aborted by another listener of ${name} may hear nothing more`)
    assert.equal(late, 0, `who was aborted by another listener of ${name} amid an event may not be told that one after the abort`)
    assert.ok(!isUntold(), `who watches ${name} beside those must hear all, and heard ${show(control.heard)}`)
    close()
  })

  await add(`${name}: a signal that is aborted already is told nothing`, async stage => {
    const { listen, watch, provoke, close } = await open(stage)
    const heard: unknown[] = []
    listen(event => heard.push(event), { signal: AbortSignal.abort() })
    await watch()
    await provoke()
    same(heard, [], `who watches ${name} with a signal that is aborted already may hear nothing`)
    close()
  })

  await add(`${name}: a function that watches twice goes on when one of its two signals aborts`, async stage => {
    const { listen, watch, provoke, close } = await open(stage)
    const heard: unknown[] = []
    const listener = (event: unknown): void => { heard.push(event) }
    const [one, other] = [new AbortController(), new AbortController()]
    for (const { signal } of [one, other]) listen(listener, { signal })
    one.abort()
    const control = await watch()
    await provoke()
    if (control.heard.length > 0) assert.ok(heard.length > 0, `${name} must be told until the signal of that watching aborts, and the function was not called any more`)
    other.abort()
    const told = heard.length
    await provoke()
    same(heard.slice(told), [], `nothing of ${name} may be told after both aborts`)
    close()
  })
}
