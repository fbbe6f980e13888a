/** Login, logout and the token in use (docs/interface.md, Logging in). */
import { addressOf, userAgentOf } from '../access/address.js'
import {
  Failure, InvalidCredentials, NoTokenFound, TooBusy, TooManyFailedLogins
} from '../errors.js'
import { Envelope, Message, ok, message } from '../schemas/envelope.js'
import { Type } from '../typebox.js'
import { LoginBody } from '../schemas/requests.js'
import type { Routes } from './parts.js'

function outcomeOf (error: unknown): string {
  if (!(error instanceof Failure)) return 'failed'
  return error.is(InvalidCredentials) ? 'refused' : error.is(TooManyFailedLogins) ? 'throttled' : error.is(TooBusy) ? 'busy' : 'failed'
}

export const authRoutes: Routes = async (scope, { accounts: { sessions }, audit, callers, cookie, counts, permit }) => {
  scope.route({
    method: 'POST',
    url: '/auth/login',
    config: { cloud: { access: 'public', setsCookie: true, failures: [InvalidCredentials, TooManyFailedLogins, TooBusy] } },
    schema: {
      operationId: 'login', summary: 'Log in', tags: ['auth'], body: LoginBody, response: { 200: Message }
    },
    handler: async (request, reply) => {
      const { username, password } = request.body
      const peer = { ip: addressOf(request), userAgent: userAgentOf(request) }
      const { token, uuid } = await sessions.login(username, password, peer, ({ uuid, username }) => {
        const entry = audit.entry(request, 'login', { uuid, username })
        return entry === undefined ? {} : { entry }
      }).catch((error: unknown) => {
        counts.loggedIn(outcomeOf(error))
        // Those whose password was not even looked at are counted.
        if (error === InvalidCredentials) audit(request, 'login.failed', 'refused', { reason: InvalidCredentials.message })
        else if (!(error instanceof Failure)) audit(request, 'login.failed', 'failed')
        throw error
      })
      counts.loggedIn('done')
      audit.stored(request)
      audit(request, 'login', 'done', { user: uuid })
      cookie.set(reply, token)
      return message(200, 'Login successful')
    }
  })

  scope.route({
    method: 'POST',
    url: '/auth/logout',
    config: { cloud: { access: 'token', beforePasswordChange: true, setsCookie: true, audit: 'logout' } },
    schema: { operationId: 'logout', summary: 'Log out', tags: ['auth'], response: { 200: Message } },
    handler: async (request, reply) => {
      await sessions.end(permit(request), callers.of(request).credential.text)
      cookie.clear(reply)
      return message(200, 'Logout successful')
    }
  })

  scope.route({
    method: 'GET',
    url: '/auth/token',
    config: { cloud: { access: 'token', beforePasswordChange: true, missingToken: NoTokenFound } },
    schema: {
      operationId: 'getToken',
      summary: 'Get the token in use',
      tags: ['auth'],
      response: { 200: Envelope(Type.Object({ token: Type.String() })) }
    },
    handler: async request => ok({ token: callers.of(request).credential.text }, 'Token is valid')
  })
}
