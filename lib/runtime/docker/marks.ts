/** By what a cloud finds its own at an engine: labels, and names that no other service can have. */
import type { Note, Plan } from '../../../types/engine.js'

export const LABEL = {
  cloud: 'fastify-cloud.cloud',
  service: 'fastify-cloud.service',
  group: 'fastify-cloud.group',
  index: 'fastify-cloud.index',
  token: 'fastify-cloud.token',
  note: 'fastify-cloud.note',
  port: 'fastify-cloud.port',
  startedAt: 'fastify-cloud.started-at',
  /** Of a volume: what it is for. */
  kind: 'fastify-cloud.kind',
  /** Of a service of a swarm: the image that it is made of, the volume of its files, and the node that has that. */
  image: 'fastify-cloud.image',
  volume: 'fastify-cloud.volume',
  node: 'fastify-cloud.node',
  /** Of a lease: whose it is. */
  owner: 'fastify-cloud.owner',
  // Containers inherit the labels of their image, whoever starts them: of an image they have other names.
  imageCloud: 'fastify-cloud.image.cloud',
  imageContent: 'fastify-cloud.image.content'
} as const

export type Labels = Readonly<Record<string, string>>

/** What is known of a life by its labels. */
export interface Mark {
  readonly name: string
  readonly token: string
  readonly note: Note | undefined
  /** 0 when it is not known. */
  readonly port: number
  readonly startedAt: number
}

/** The name of a service's container: of one service there is never more than one. */
export const containerName = (cloud: string, service: string): string => `${cloud}.${service}`

export function labelsOf (cloud: string, { name, token, note, port, values }: Plan, startedAt: number): Labels {
  return {
    [LABEL.cloud]: cloud,
    [LABEL.service]: name,
    [LABEL.group]: values['group'] ?? '',
    [LABEL.index]: /-(\d+)$/.exec(name)?.[1] ?? '',
    [LABEL.token]: token,
    [LABEL.note]: JSON.stringify(note),
    [LABEL.port]: String(port),
    [LABEL.startedAt]: String(startedAt)
  }
}

/** Undefined: it is none of this cloud's. */
export function readMark (cloud: string, labels: Labels): Mark | undefined {
  const [name = '', token = ''] = [labels[LABEL.service], labels[LABEL.token]]
  if (labels[LABEL.cloud] !== cloud || !/^[A-Za-z0-9_-]{1,80}$/.test(name) || !/^[0-9a-f]{32}$/.test(token)) return undefined
  return { name, token, note: readNote(labels[LABEL.note]), port: numberIn(labels[LABEL.port]), startedAt: numberIn(labels[LABEL.startedAt]) }
}

const numberIn = (text = ''): number => /^\d{1,15}$/.test(text) ? Number(text) : 0

function readNote (text = ''): Note | undefined {
  try {
    const note: unknown = JSON.parse(text)
    return typeof note === 'object' && note !== null ? note as Note : undefined
  } catch {
    return undefined
  }
}
