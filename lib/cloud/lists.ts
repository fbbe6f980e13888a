/** The runtime's lists, called in time and checked. */
import type { FastifyBaseLogger } from 'fastify'
import type { Group, Platform, Player, Template } from '../../types/resources.js'
import type { CloudRuntime, Listed, MaybePromise, MetricSample, RuntimeService } from '../../types/runtime.js'
import {
  type Shape, checkList, checkSample, groupShape, platformShape, playerShape, serviceShape, templateShape
} from './answers.js'
import { type Calls, isPromise } from './calls.js'
import { type List, keptList } from './kept-lists.js'
import { type Page, type PageQuery, orderInPieces, pageOf, pageOfUnordered } from './pages.js'

export interface Lists {
  readonly services: List<RuntimeService>
  readonly groups: List<Group>
  readonly platforms: List<Platform>
  readonly templates: List<Template>
  /** In the order of pages. */
  readonly players: List<Player>
  /** One page of the players. */
  playerPage (query: PageQuery): Promise<Page>
  sample (): Promise<MetricSample>
}

export function lists (runtime: CloudRuntime, call: Calls, log: FastifyBaseLogger): Lists {
  /** Asks for a list now, and checks what of it is not as it was `before`. */
  function ask<T> (source: Listed<unknown>, shape: Shape<T>, before?: readonly T[]): MaybePromise<readonly T[]> {
    const answer = call<unknown>(options => source.list(options))
    return isPromise(answer) ? answer.then(given => checkList(given, shape, log, before)) : checkList(answer, shape, log, before)
  }

  function checked<T> (source: Listed<unknown>, shape: Shape<T>): List<T> {
    let before: readonly T[] = []
    const remember = (items: readonly T[]): readonly T[] => { before = items; return items }
    return keptList(source, () => {
      const items = ask(source, shape, before)
      return isPromise(items) ? items.then(remember) : remember(items)
    })
  }

  const none: Listed<never> = { list: () => [] }
  const players = keptList(runtime.players, async () => await orderInPieces(await ask(runtime.players, playerShape)))

  return {
    services: checked(runtime.services, serviceShape),
    groups: checked(runtime.groups, groupShape),
    platforms: checked(runtime.platforms, platformShape),
    templates: checked(runtime.templates ?? none, templateShape),
    players,
    // Only what is kept is worth being put in order as a whole.
    playerPage: async query => runtime.players.revision === undefined
      ? await pageOfUnordered(await ask(runtime.players, playerShape), query)
      : pageOf(await players(), query),
    sample: async () => checkSample(await call<MaybePromise<unknown>>(options => runtime.metrics.sample(options)))
  }
}
