/** Why a group is as it is, how far its restart is, and whether somebody has to look after it. */
import { useEffect, useState } from 'preact/hooks'
import type { Group, Service } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { type Asked, useAsked } from '../parts/pending.js'
import { plain } from '../parts/text.js'
import { holds } from '../session.js'

export interface Status {
  readonly reason?: string
  readonly restart?: { readonly done: number, readonly total: number }
}

/** What goes by itself within this time is no trouble. */
const troubledMs = 1_500

const statusOf = async (name: string): Promise<Status> => (await ask(cloud.GET('/group/{name}/status', { params: { path: { name } } }))).data as Status
const about = (name: string, services: readonly Service[]): string => `${name} ${services.map(one => `${one.name}${one.state}`).join()}`

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
      <b><span aria-hidden='true'>{marks[trouble]}</span> {trouble}</b>{reason !== undefined && <span class='foreign'>: {plain(reason).replace(/^paused: /, '')}</span>}
    </span>
  )
}

export function Reason ({ name, services }: { readonly name: string, readonly services: readonly Service[] }) {
  const { value } = useStatus(name, services, 10_000)
  return (
    <span class='soft reason foreign'>
      {value?.restart !== undefined && `restarting, ${value.restart.done} of ${value.restart.total}; `}
      {value?.reason === undefined ? '' : plain(value.reason)}
    </span>
  )
}
