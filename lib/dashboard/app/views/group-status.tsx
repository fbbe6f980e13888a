/** Why a group is as it is, how far its restart is, and whether somebody has to look after it. */
import { useEffect, useState } from 'preact/hooks'
import type { Group, Service } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { type Asked, useAsked } from '../parts/pending.js'
import { plainReason } from '../parts/text.js'
import { holds } from '../session.js'

export interface Status {
  readonly reason?: string
  readonly restart?: { readonly done: number, readonly total: number }
}

/** What goes by itself within this time is no trouble. */
const troubledMs = 1_500

const statusOf = async (name: string): Promise<Status> => (await ask(cloud.GET('/group/{name}/status', { params: { path: { name } } }))).data as Status
const about = (name: string, services: readonly Service[]): string => `${name} ${services.map(one => `${one.name}${one.state}`).join()}`

interface Seen {
  readonly done: number
  readonly total: number
  /** When each service was started, as it was seen first beside that progress. */
  readonly starts: ReadonlyMap<string, number | undefined>
}

/** Restarts of groups that were seen, until it is known that they came to their end. */
const seen = new Map<string, Seen>()

/** How far a restart had come that is not going on any more: it is lost with the core, or ends where a service could not start again. */
export function cutShort (name: string, { restart }: Status, services: readonly Service[]): { readonly done: number, readonly total: number } | undefined {
  const known = seen.get(name)
  if (restart !== undefined) {
    if (known === undefined || known.total !== restart.total || restart.done < known.done) seen.set(name, { ...restart, starts: new Map(services.map(one => [one.name, one.startedAt])) })
    return undefined
  }
  if (known === undefined) return undefined
  const startedAt = new Map(services.map(one => [one.name, one.startedAt]))
  const done = known.done + [...known.starts].filter(([one, at]) => startedAt.get(one) !== at).length
  // Where services may not be seen nobody can tell how far it came.
  if (known.starts.size > 0 && done < known.total) return { done, total: known.total }
  seen.delete(name)
  return undefined
}

/** It was read. */
export const forgetRestart = (name: string): void => { seen.delete(name) }

/** Asked anew whenever a service of the group changes its state, and now and then. */
export const useStatus = (name: string, services: readonly Service[], everyMs = 5_000): Asked<Status> => useAsked(() => statusOf(name), about(name, services), everyMs)

/** Whether nothing is on its way to what the group should have. */
const isStuck = ({ minOnlineService }: Group, services: readonly Service[]): boolean =>
  !services.some(({ state }) => state === 'STARTING' || state === 'STOPPING') && services.filter(({ state }) => state === 'ONLINE').length < minOnlineService

export type Trouble = 'paused' | 'too few online' | 'none online'

/** What is wrong with a group, and why, as soon as it does not go by itself; asks for the reason only where it may be wrong. */
export function useTrouble (group: Group, services: readonly Service[] | undefined): { readonly trouble?: Trouble, readonly reason?: string | undefined } {
  const own = services ?? []
  const isDoubtful = services !== undefined && (isStuck(group, own) || own.some(({ state }) => state === 'OFFLINE'))
  const { value } = useAsked(async () => isDoubtful && holds('group.get') ? await statusOf(group.name) : undefined, `${String(isDoubtful)} ${about(group.name, isDoubtful ? own : [])}`, isDoubtful ? 5_000 : undefined)
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    setIsLong(false)
    if (!isDoubtful) return
    const timer = setTimeout(() => { setIsLong(true) }, troubledMs)
    return () => { clearTimeout(timer) }
  }, [isDoubtful])
  if (!isDoubtful || !isLong) return {}
  const reason = value?.reason
  if (/\bpaused\b/.test(reason ?? '')) return { trouble: 'paused', reason }
  if (!isStuck(group, own)) return {}
  return { trouble: own.some(({ state }) => state === 'ONLINE') ? 'too few online' : 'none online', reason }
}

const marks: Readonly<Record<Trouble, string>> = { paused: '❚❚', 'too few online': '▲', 'none online': '✖' }

/** A mark, a word, and why. */
export function TroubleOf ({ group, services }: { readonly group: Group, readonly services: readonly Service[] | undefined }) {
  const { trouble, reason } = useTrouble(group, services)
  if (trouble === undefined) return null
  return (
    <span class={trouble === 'too few online' ? 'trouble warn' : 'trouble bad'}>
      <b><span aria-hidden='true'>{marks[trouble]}</span> {trouble}</b>{reason !== undefined && <span class='foreign'>: {plainReason(reason).replace(/^paused: /, '')}</span>}
    </span>
  )
}

export function Reason ({ name, services }: { readonly name: string, readonly services: readonly Service[] }) {
  const { value } = useStatus(name, services, 10_000)
  const short = value && cutShort(name, value, services)
  return (
    <span class='soft reason foreign'>
      {value?.restart !== undefined && `restarting, ${value.restart.done} of ${value.restart.total}; `}
      {short !== undefined && <span class='bad'>its rolling restart ended at {short.done} of {short.total}; </span>}
      {value?.reason === undefined ? '' : plainReason(value.reason)}
    </span>
  )
}
