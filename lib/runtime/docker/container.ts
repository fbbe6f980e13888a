/** A container of an engine that is asked directly, as the body of a life. */
import { isGone } from './client.js'
import { filesOf, type Whereabouts } from './files.js'
import { createInput } from './input.js'
import { endOf, signalTo, type Body } from './life.js'
import { createOutput } from './output.js'

export function containerBody (where: Whereabouts): Body {
  const { client, id } = where
  return {
    id,
    details: { container: id.slice(0, 12) },
    input: createInput(client, id),
    output: isOver => createOutput({ client, source: docker => docker.getContainer(id), isOver }),
    state: async () => {
      const state = await client.ask(async (docker, abortSignal) => await docker.getContainer(id).inspect({ abortSignal })).then(({ State }) => State, (error: unknown) => {
        if (isGone(error)) return undefined
        throw error
      })
      return state?.Running === true ? undefined : endOf(state)
    },
    send: async signal => await signalTo(client, id, signal),
    files: runs => filesOf(where, runs)
  }
}
