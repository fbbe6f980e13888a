/** The runtime's lists, called in time and checked. */
import type { Group, Platform, Player, Template } from '../../types/resources.js'
import type { CloudRuntime, Listed, MaybePromise, MetricSample, RuntimeService } from '../../types/runtime.js'
import { checkList, checkSample } from './answers.js'
import { type WithDeadline, isPromise } from './deadline.js'
import type { Faults } from './faults.js'
import { type CachedList, createCachedList } from './cached-list.js'
import { type Page, type PageQuery, orderInChunks, pageOfUnordered } from './pages.js'
import { type Chunks, gather, isWhole } from './chunks.js'
import { type Shape, groupShape, platformShape, playerShape, serviceShape, templateShape } from './shapes.js'

export interface CheckedList<T> extends CachedList<T> {
  /** Asks for the list now. Of a long one each piece is checked when it is taken, so that it is never held as a whole. */
  pieces (): MaybePromise<Chunks<T>>
}

export interface Lists {
  readonly services: CheckedList<RuntimeService>
  readonly groups: CheckedList<Group>
  readonly platforms: CheckedList<Platform>
  readonly templates: CheckedList<Template>
  /** In the order of pages. */
  readonly players: CachedList<Player>
  /** One page of the players as they are now; asked of the runtime anew. */
  playerPage (query: PageQuery): Promise<Page>
  sample (): Promise<MetricSample>
}

export function createLists (runtime: CloudRuntime, withDeadline: WithDeadline, faults: Faults): Lists {
  /** Asks for a list now, and checks it. */
  function askPieces<T> (source: Listed<unknown>, shape: Shape<T>): MaybePromise<Chunks<T>> {
    const answer = withDeadline<unknown>(options => source.list(options))
    return isPromise(answer) ? answer.then(given => checkList(given, shape, faults)) : checkList(answer, shape, faults)
  }

  function ask<T> (source: Listed<unknown>, shape: Shape<T>): MaybePromise<readonly T[]> {
    const asked = askPieces(source, shape)
    return isPromise(asked) ? asked.then(whole) : whole(asked)
  }

  /** Tells of a revision that is no number. */
  const told = (shape: Shape<unknown>) => (given: string): void => {
    faults(`${shape.name}s.revision`, () => ({ field: '/revision', given }))
  }

  const checked = <T>(source: Listed<unknown>, shape: Shape<T>): CheckedList<T> => Object.assign(
    createCachedList(source, () => ask(source, shape), told(shape)),
    { pieces: () => askPieces(source, shape) }
  )
  const none: Listed<never> = { list: () => [] }
  const players = createCachedList(runtime.players, async () => await orderInChunks(await ask(runtime.players, playerShape)), told(playerShape))

  return {
    services: checked(runtime.services, serviceShape),
    groups: checked(runtime.groups, groupShape),
    platforms: checked(runtime.platforms, platformShape),
    templates: checked(runtime.templates ?? none, templateShape),
    players,
    // Only what is kept is worth being put in order as a whole.
    playerPage: async query => await pageOfUnordered(await ask(runtime.players, playerShape), query),
    sample: async () => checkSample(await withDeadline<MaybePromise<unknown>>(options => runtime.metrics.sample(options)))
  }
}

const whole = <T>(items: Chunks<T>): MaybePromise<readonly T[]> => isWhole(items) ? items : gather(items)
