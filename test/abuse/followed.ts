/**
 * Streams of events among the requests of the interleavings. What a stream is told is looked at where it is written, against what
 * everybody has heard by then of who may do what.
 */
import type { FastifyInstance } from 'fastify'
import { base } from '../fixtures/cloud.js'
import { type Told, View, createParser } from '../fixtures/follow.js'
import { until } from '../fixtures/until.js'

const permissions = {
  services: 'cloud.service.list', groups: 'cloud.group.list', players: 'cloud.players.list', platforms: 'cloud.platform.list', templates: 'cloud.templates.list'
}
/** All topics; those who are no admins may follow the first two. */
export const topics = Object.keys(permissions)
export const permissionOf = (topic: string): string => permissions[topic as keyof typeof permissions]

/** One stream that was opened. */
export interface Followed {
  /** What its reader is known by among the changes. */
  readonly session: string
  /** Those that it follows; until its snapshot is there, perhaps fewer, where none were asked for. */
  topics: readonly string[]
  /** The topics that were asked for; `undefined` for all that its reader may have. */
  readonly asked: readonly string[] | undefined
  readonly view: View
  lastId: string | undefined
  isEnded: boolean
  /** Texts of services that it was told of. */
  readonly motds: Set<string>
}

export interface FollowedParts {
  readonly app: FastifyInstance
  /** Whether it is known that somebody may not be told of those topics any more. */
  isRevoked (session: string, topics: readonly string[]): boolean
  readonly violations: string[]
}

/** Has a host hand over what it writes into streams; before it is ready. */
export function watchStreams (app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const name = request.headers['x-stream']
    const stream = name === undefined ? undefined : readers.get(String(name))
    if (stream === undefined) return
    const { raw } = reply
    raw.once('close', stream.ended)
    const write = raw.write.bind(raw)
    raw.write = ((bytes: Buffer | string, ...rest: []) => {
      stream.read(String(bytes))
      return write(bytes, ...rest)
    }) as typeof raw.write
  })
}

const readers = new Map<string, { read (text: string): void, ended (): void }>()
let count = 0

/** Opens a stream, or goes on with one; answers it, or how it was refused. */
export async function followBy (
  { app, isRevoked, violations }: FollowedParts, headers: Record<string, string>, session: string,
  asked: readonly string[] | undefined, before: Followed | undefined
): Promise<Followed | { readonly status: number, readonly message: string }> {
  const name = `stream-${++count}`
  const followed: Followed = {
    session, asked, topics: asked ?? before?.topics ?? topics, view: before?.view ?? new View(), lastId: before?.lastId, isEnded: false, motds: new Set()
  }
  const take = (told: Told): void => {
    followed.lastId = told.id
    if (told.event === 'heartbeat') return
    if (told.event === 'snapshot') followed.topics = Object.keys(told.data)
    if (told.event !== 'reset' && isRevoked(session, followed.topics)) violations.push(`${name}: told of ${told.event} what its reader may not have any more`)
    if (told.data.topic === 'services') followed.motds.add(told.data.item.motd)
    try {
      followed.view.take(told)
    } catch (error) {
      violations.push(`${name}: ${(error as Error).message}`)
    }
  }
  readers.set(name, { read: createParser(take), ended: () => { followed.isEnded = true } })
  const query = asked === undefined ? '' : `?topics=${asked.join(',')}`
  const answer = await app.inject({
    method: 'GET',
    url: `${base}/events${query}`,
    headers: { ...headers, 'x-stream': name, ...before?.lastId !== undefined && { 'last-event-id': before.lastId } },
    payloadAsStream: true
  })
  const stream = answer.stream()
  if (answer.statusCode !== 200) {
    readers.delete(name)
    let text = ''
    for await (const chunk of stream) text += String(chunk)
    return { status: answer.statusCode, message: JSON.parse(text).message }
  }
  stream.resume()
  return followed
}

/** Waits until every stream has ended that should, and every other one was told of what is put last. */
export async function settleStreams (
  streams: readonly Followed[], { isLost, hadAlways, put }: { isLost (one: Followed): boolean, hadAlways (one: Followed): boolean, put (): string }, violations: string[]
): Promise<void> {
  // What a stream follows may only be known with its snapshot.
  const lost = (): readonly Followed[] => streams.filter(one => !one.isEnded && isLost(one))
  await until(() => lost().length === 0, 'those end who may not follow any more', 3_000).catch(() => {
    violations.push(...lost().map(one => `a stream is open whose reader may not follow any more: ${describe(one)}`))
  })
  const motd = put()
  const kept = streams.filter(one => hadAlways(one) && one.topics.includes('services'))
  await until(() => kept.every(({ motds, isEnded }) => isEnded || motds.has(motd)), 'everybody else is told', 3_000).catch(() => {
    violations.push('a stream is not told of what its reader may follow')
  })
  for (const one of streams) {
    if (hadAlways(one) && one.isEnded) violations.push(`a stream has ended whose reader might follow it all the time: ${describe(one)}`)
    if (isLost(one) && one.motds.has(motd)) violations.push(`a stream was told of something long after its reader lost the right: ${describe(one)}`)
  }
}

const describe = ({ session, topics, asked, lastId }: Followed): string =>
  `${session}, ${topics.join()} of ${asked?.join() ?? 'all'}, last ${lastId ?? 'nothing'}`
