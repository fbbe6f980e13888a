/** The runtime's lists, called in time and checked. */
import type { Group, Platform, Player, Template } from '../../types/resources.js'
import type { CloudRuntime, Listed, MaybePromise, MetricSample, RuntimeService } from '../../types/runtime.js'
import { RuntimeTimeout } from '../errors.js'
import { type Copies, checkList, checkSample } from './answers.js'
import { type WhenGone, type WithDeadline, isPromise } from './deadline.js'
import type { Faults } from './faults.js'
import { type CachedList, createCachedList, numberOf } from './cached-list.js'
import { type FollowedList, createFollowedList } from './followed-list.js'
import { type Page, type PageQuery, orderInChunks, pageOfUnordered } from './pages.js'
import { type Chunks, gather, isWhole } from './chunks.js'
import { type Shape, groupShape, platformShape, playerShape, serviceShape, templateShape } from './shapes.js'

export interface CheckedList<T> extends CachedList<T> {
  /** Asks for the list now. Of a long one each piece is checked when it is taken, so that it is never held as a whole. */
  pieces (gone?: WhenGone): MaybePromise<Chunks<T>>
}

export interface Lists {
  readonly services: CheckedList<RuntimeService>
  readonly groups: CheckedList<Group>
  readonly platforms: CheckedList<Platform>
  readonly templates: CheckedList<Template>
  /** In the order of pages. */
  readonly players: CachedList<Player>
  /** One page of the players as they are now; asked of the runtime anew. */
  playerPage (query: PageQuery, gone?: WhenGone): Promise<Page>
  sample (gone?: WhenGone): Promise<MetricSample>
  /** The same lists for somebody who looks at them again and again. */
  readonly followed: {
    readonly services: FollowedList<RuntimeService>
    readonly groups: FollowedList<Group>
    readonly players: FollowedList<Player>
    readonly platforms: FollowedList<Platform>
    readonly templates: FollowedList<Template>
  }
}

export function createLists (runtime: CloudRuntime, withDeadline: WithDeadline, timeout: number, faults: Faults): Lists {
  /** Asks for a list now, and checks it. */
  function askPieces<T> (source: Listed<unknown>, shape: Shape<T>, gone?: WhenGone, copies?: Copies<T>): MaybePromise<Chunks<T>> {
    const answer = withDeadline<unknown>(options => source.list(options), { gone, name: shape.call })
    return isPromise(answer) ? answer.then(given => checkList(given, shape, faults, copies)) : checkList(answer, shape, faults, copies)
  }

  /** The same for somebody who needs all of it: the deadline is that of the answer and of its check together. */
  function ask<T> (source: Listed<unknown>, shape: Shape<T>, gone?: WhenGone, copies?: Copies<T>): MaybePromise<readonly T[]> {
    const until = performance.now() + timeout
    const whole = (items: Chunks<T>): MaybePromise<readonly T[]> => isWhole(items) ? items : gatherUntil(items, until)
    const asked = askPieces(source, shape, gone, copies)
    return isPromise(asked) ? asked.then(whole) : whole(asked)
  }

  /** Tells of a revision that is no number. */
  const told = (shape: Shape<unknown>) => (given: string): void => {
    faults(`${shape.name}s.revision`, () => ({ field: '/revision', given }))
  }

  const checked = <T>(source: Listed<unknown>, shape: Shape<T>): CheckedList<T> => Object.assign(
    createCachedList(source, gone => ask(source, shape, gone), told(shape)),
    { pieces: (gone?: WhenGone) => askPieces(source, shape, gone) }
  )
  const followed = <T>(source: Listed<unknown>, shape: Shape<T>): FollowedList<T> =>
    createFollowedList(() => numberOf(source, told(shape)), copies => ask(source, shape, undefined, copies))
  const none: Listed<never> = { list: () => [] }
  const players = createCachedList(runtime.players, async gone => await orderInChunks(await ask(runtime.players, playerShape, gone)), told(playerShape))

  return {
    services: checked(runtime.services, serviceShape),
    groups: checked(runtime.groups, groupShape),
    platforms: checked(runtime.platforms, platformShape),
    templates: checked(runtime.templates ?? none, templateShape),
    players,
    // Only what is kept is worth being put in order as a whole.
    playerPage: async (query, gone) => await pageOfUnordered(await ask(runtime.players, playerShape, gone), query),
    sample: async gone => checkSample(await withDeadline<MaybePromise<unknown>>(options => runtime.metrics.sample(options), { gone, name: 'metrics.sample' })),
    followed: {
      services: followed(runtime.services, serviceShape),
      groups: followed(runtime.groups, groupShape),
      players: followed(runtime.players, playerShape),
      platforms: followed(runtime.platforms, platformShape),
      templates: followed(runtime.templates ?? none, templateShape)
    }
  }
}

/** @throws Failure 504 when it is not all there at that moment */
const gatherUntil = <T>(pieces: AsyncIterable<readonly T[]>, until: number): Promise<readonly T[]> => gather(pieces, () => {
  if (performance.now() > until) throw RuntimeTimeout.because(new Error('The list could not be checked in time'))
})
