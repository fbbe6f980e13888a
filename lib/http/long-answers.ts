/** Answers that are made while they are read: for whom no more is held than for others, however slowly they read. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { MaybePromise } from '../../types/runtime.js'
import type { WhenGone } from '../cloud/deadline.js'
import { createConcurrencyLimit } from '../cloud/concurrency-limit.js'
import { TooManyDownloads } from '../errors.js'
import { itsTurn, whenGone } from './gone.js'

/** Downloads of one user, and of all. Each has a file open, and those that wait for their turn on a connection count. */
const [mostOfUser, mostOfAll] = [8, 32]
const minute = 60_000
/** So long may somebody whose right has ended go on reading. */
const permittedMs = 1_000

export interface Reading {
  /** All are cut off when it aborts: the host ends. */
  readonly leaving: AbortSignal
  /** Milliseconds after which one who takes nothing is cut off. Default: 60,000. */
  readonly patience?: number
  /** Throws where the reader may not read any more: asked now and then, and what is left is not sent then. */
  readonly permit?: () => MaybePromise<unknown>
}

/**
 * The same bytes, for a reader who takes some now and then; the connection of any other is cut off. With the end of the connection, or of the
 * answer, all is let go of.
 */
export function readInTime (reply: FastifyReply, content: Readable, { leaving, patience = minute, permit }: Reading): Readable {
  const timer = setTimeout(() => { reply.raw.destroy() }, patience)
  whenGone(reply)(() => {
    clearTimeout(timer)
    content.destroy()
  })
  const pieces = content[Symbol.asyncIterator]()
  let permittedAt = performance.now()

  async function askAgain (): Promise<void> {
    if (permit === undefined || performance.now() - permittedAt < permittedMs) return
    await permit()
    permittedAt = performance.now()
  }

  const watched: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => watched,
    next: async () => {
      timer.refresh()
      await askAgain()
      return await pieces.next()
    },
    return: async () => {
      content.destroy()
      return { done: true, value: undefined }
    }
  }
  return Readable.from(watched, { objectMode: false, signal: leaving })
}

/**
 * A download in a place of its user, opened when it is its turn, and for as long as that is permitted.
 * @throws Failure 429 where the user, or all together, have too many
 */
export type Download = (reply: FastifyReply, reader: Reader, open: (gone: WhenGone) => Promise<Readable>) => Promise<Readable>

export interface Reader {
  readonly user: string
  readonly permit: () => MaybePromise<unknown>
}

export function createDownloads (leaving: AbortSignal): Download {
  const limit = createConcurrencyLimit(mostOfUser, mostOfAll)
  return async (reply, { user, permit }, open) => {
    const leave = limit.take(user)
    if (leave === undefined) throw TooManyDownloads
    try {
      await itsTurn(reply)
      const gone = whenGone(reply)
      const content = await open(gone)
      gone(leave)
      return readInTime(reply, content, { leaving, permit })
    } catch (error) {
      leave()
      throw error
    }
  }
}
