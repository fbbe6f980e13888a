/** What a later core has to know of a service, written down before the service is started. */
import { readFile } from 'node:fs/promises'
import type { ServiceType } from '../../../types/resources.js'
import { writeDurably } from './files.js'
import { isName } from './names.js'

/** What is to become of a service: go on, stay stopped, or go for good. */
export type Intent = 'run' | 'stop' | 'remove'

export interface Meta {
  readonly name: string
  readonly group: string
  readonly index: number
  readonly port: number
  readonly createdAt: number
  readonly intent: Intent
  readonly static: boolean
  /** Tells this start from every other; also the mark of its processes. */
  readonly token: string
  /** Of the machine's start in which it was started. */
  readonly bootId: string
  /** Where in the console's file this start begins. */
  readonly consoleFrom: number
  readonly type: ServiceType
  readonly platform: { readonly name: string, readonly version: string }
  readonly templates: readonly string[]
  readonly properties: Readonly<Record<string, string>>
  readonly minMemory: number
  readonly maxMemory: number
}

export async function writeMeta (path: string, meta: Meta): Promise<void> {
  await writeDurably(path, `${JSON.stringify(meta, null, 2)}\n`)
}

/** Undefined when there is none; throws when it is none of ours. */
export async function readMeta (path: string, name: string): Promise<Meta | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const meta = JSON.parse(text) as Partial<Meta> | null
  const right = typeof meta === 'object' && meta !== null && meta.name === name && isName(meta.group) &&
    meta.name === `${meta.group}-${meta.index}` && isPort(meta.port) && typeof meta.createdAt === 'number' &&
    ['run', 'stop', 'remove'].includes(meta.intent ?? '') && /^[0-9a-f]{32}$/.test(meta.token ?? '') &&
    typeof meta.bootId === 'string' && typeof meta.consoleFrom === 'number' && typeof meta.platform?.name === 'string' &&
    Array.isArray(meta.templates) && typeof meta.properties === 'object' && meta.properties !== null
  if (!right) throw new Error('is none of this runtime\'s, or damaged')
  return meta as Meta
}

function isPort (value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < 65536
}
