/** The kinds of proxies that can be told of their servers. */
import { bungeecord } from './bungeecord.js'
import { gate, json } from './gate.js'
import { haproxy } from './haproxy.js'
import { mcRouter } from './mc-router.js'
import { velocity } from './velocity.js'
import type { Writer } from './writer.js'

export const writers = { velocity, bungeecord, gate, 'mc-router': mcRouter, haproxy, json } as const satisfies Record<string, Writer>

export type WriterName = keyof typeof writers
export type { Reload, Rendering, RenderOptions, Writer } from './writer.js'
