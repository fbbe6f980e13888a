/** The runtime's lists, called in time and checked. */
import type { FastifyBaseLogger } from 'fastify'
import type { Group, Platform, Player, Template } from '../../types/resources.js'
import type { CloudRuntime, Listed, MaybePromise, MetricSample, RuntimeService } from '../../types/runtime.js'
import {
  type Shape, checkPieces, checkSample, groupShape, platformShape, playerShape, serviceShape, templateShape
} from './answers.js'
import { type Calls, isPromise } from './calls.js'
import { type List, keptList } from './kept-lists.js'
import { type Page, type PageQuery, orderInPieces, pageOf, pageOfUnordered } from './pages.js'

export interface CheckedList<T> extends List<T> {
  /** Asks for the list now, and hands it over in pieces as they are checked, so that a long one is never held as a whole. */
  pieces (take: (items: readonly T[]) => void): MaybePromise<void>
}

export interface Lists {
  readonly services: CheckedList<RuntimeService>
  readonly groups: CheckedList<Group>
  readonly platforms: CheckedList<Platform>
  readonly templates: CheckedList<Template>
  /** In the order of pages. */
  readonly players: List<Player>
  /** One page of the players. */
  playerPage (query: PageQuery): Promise<Page>
  sample (): Promise<MetricSample>
}

export function lists (runtime: CloudRuntime, call: Calls, log: FastifyBaseLogger): Lists {
  function askPieces<T> (source: Listed<unknown>, shape: Shape<T>, take: (items: readonly T[]) => void): MaybePromise<void> {
    const answer = call<unknown>(options => source.list(options))
    return isPromise(answer) ? answer.then(given => checkPieces(given, shape, log, take)) : checkPieces(answer, shape, log, take)
  }

  /** Asks for a list now, and checks it. */
  function ask<T> (source: Listed<unknown>, shape: Shape<T>): MaybePromise<readonly T[]> {
    const all: T[] = []
    const asked = askPieces(source, shape, piece => { for (const item of piece) all.push(item) })
    return isPromise(asked) ? asked.then(() => all) : all
  }

  const checked = <T>(source: Listed<unknown>, shape: Shape<T>): CheckedList<T> => Object.assign(
    keptList(source, () => ask(source, shape)),
    { pieces: (take: (items: readonly T[]) => void) => askPieces(source, shape, take) }
  )
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
