/** The same events for the host itself. */
import type { FastifyBaseLogger } from 'fastify'
import { SetupError } from '../../types/errors.js'
import type { CloudEvent, CloudEvents, EventTopic, SnapshotEvent } from '../../types/events.js'
import type { CloudStorage } from '../../types/storage.js'
import { topicNames } from '../schemas/topics.js'
import type { Hub } from './hub.js'
import { bitsOf } from './topics.js'

/** After that time the runtime is asked once more, where it has not answered. */
const againMs = 1_000

export interface WatchParts {
  readonly hub: Hub
  readonly storage: CloudStorage
  readonly log: FastifyBaseLogger
  /** Aborted when the host closes. */
  readonly closing: AbortSignal
}

export function createWatch ({ hub, storage, log, closing }: WatchParts): CloudEvents['watch'] {
  return (listener, { signal, topics = [...topicNames, 'accounts'] }) => {
    const wrong = topics.find(topic => topic !== 'accounts' && !topicNames.includes(topic))
    if (wrong !== undefined) {
      throw new SetupError('CLOUD_ERR_OPTION', `A topic of \`events.watch\` must be one of ${topicNames.join(', ')}, accounts; given: ${String(wrong)}`)
    }
    const watching = new AbortController()
    const { signal: ended } = watching
    for (const one of [signal, closing]) {
      if (one.aborted) return
      one.addEventListener('abort', () => { watching.abort() }, { once: true, signal: ended })
    }

    function tell (event: CloudEvent): void {
      if (ended.aborted) return
      try {
        listener(event)
      } catch (error) {
        log.error({ err: error }, 'A listener to the events of the cloud has thrown')
      }
    }

    if (topics.includes('accounts')) storage.subscribe?.(change => { tell({ type: 'account', change }) }, { signal: ended })
    const bits = bitsOf(topics.filter((topic): topic is EventTopic => topic !== 'accounts'))
    if (bits === 0) return

    function begin (): void {
      let position = hub.journal.last
      tell({ type: 'snapshot', items: itemsOf(hub, bits) })
      const leave = hub.follow(bits, () => {
        const { last } = hub.journal
        const from = position
        // A listener that brings about the next look is not told of the same twice.
        position = last
        hub.journal.after(from, bits, ({ event, number }) => {
          if (number <= last) tell(event)
          return number < last
        })
      })
      ended.addEventListener('abort', leave, { once: true })
      if (ended.aborted) leave()
    }

    function look (): void {
      if (ended.aborted) return
      hub.look(bits).then(() => { if (!ended.aborted) begin() }, (error: unknown) => {
        log.error({ err: error }, 'What is followed could not be looked at')
        setTimeout(look, againMs).unref()
      })
    }
    look()
  }
}

const itemsOf = (hub: Hub, bits: number): SnapshotEvent['items'] =>
  Object.fromEntries(hub.lookouts(bits).map(({ source, known }) => [source.name, known.items()]))
