/** Puts what a handler answers into its envelope, and has the audit line written. */
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { MaybePromise } from '../../types/runtime.js'
import type { Audit } from '../access/audit.js'
import { isPromise } from '../cloud/deadline.js'
import type { Declaration } from './declaration.js'
import { answerJson } from './isolation.js'

type Handler = RouteOptions['handler']

type Answer = { readonly status?: number } | FastifyReply | undefined

/** Gives the answer the status that its envelope names, has it counted, and has the audit line written. */
export function enveloped (handler: Handler, { audit: event, isLong = false }: Declaration, audit: Audit, count: (status: number) => void): Handler {
  function finish (reply: FastifyReply, answer: Answer): unknown {
    // A handler may have sent it itself.
    if (answer === undefined || answer === reply) {
      count(reply.statusCode)
      return reply
    }
    const { status } = answer
    count(typeof status === 'number' ? status : reply.statusCode)
    if (typeof status !== 'number') return answer
    reply.code(status)
    return status === 204 ? reply.send() : answer
  }
  // No promise is made for an answer that is there already.
  return function (request: FastifyRequest, reply: FastifyReply) {
    answerJson(reply)
    const answer = handler.call(this, request, reply) as MaybePromise<Answer>
    // Fastify's reply looks like a promise, and a slow one.
    const isPending = answer !== reply && isPromise(answer)
    if (event !== undefined) {
      if (isPending) audit.act(request, event, answer, { isLong })
      else audit(request, event, 'done')
    }
    return isPending ? answer.then(settled => finish(reply, settled)) : finish(reply, answer)
  }
}
