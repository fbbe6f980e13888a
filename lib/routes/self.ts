/** What users do with their own account and tokens, and the one-time creation of the first admin. */
import { addressOf, userAgentOf } from '../access/address.js'
import { tell } from '../access/audit.js'
import { adminRoleId, sessionOf } from '../access/caller.js'
import {
  CurrentPasswordWrong, LastAdmin, PasswordChangeUnderWay, PasswordNotNew, PasswordTooLong, TokenNotFound, TooBusy,
  TooManyFailedLogins, UserExists, UsernameTaken, invalid, passwordTooShort
} from '../errors.js'
import { Envelope, Message, NoContent, noContent, ok, message } from '../schemas/envelope.js'
import { Token, User } from '../schemas/resources.js'
import { Type } from '../typebox.js'
import { FirstUserBody, UsernameBody, passwordBody } from '../schemas/requests.js'
import type { Routes } from './parts.js'

const tags = ['self']

export const selfRoutes: Routes = async (scope, { accounts: { users, roles, sessions }, audit, callers, settings, cookie, permit }) => {
  const passwordFailures = [invalid('Password'), passwordTooShort(settings.minPasswordLength), PasswordTooLong]

  scope.route({
    method: 'POST',
    url: '/user/self',
    config: { cloud: { access: 'public', setsCookie: true, audit: 'user.first-created', failures: [invalid('Username'), ...passwordFailures, UserExists, TooBusy] } },
    schema: {
      operationId: 'createFirstUser',
      summary: 'Create the first admin, while there is no user',
      tags,
      body: FirstUserBody,
      response: { 201: Message }
    },
    handler: async (request, reply) => {
      const peer = { ip: addressOf(request), userAgent: userAgentOf(request) }
      const { username, password } = request.body
      const entry = audit.entry(request)
      const user = await users.createFirst(username, password, peer.ip, entry && { entry })
      audit.stored(request)
      const { permissions } = await roles.get(adminRoleId)
      cookie.set(reply, await sessions.begin(user, permissions, peer))
      return message(201, 'User created successfully')
    }
  })

  scope.route({
    method: 'GET',
    url: '/user/self',
    config: { cloud: { access: 'token', beforePasswordChange: true } },
    schema: { operationId: 'getSelf', summary: 'Get the own account', tags, response: { 200: Envelope(User) } },
    handler: request => ok(users.self(callers.of(request)))
  })

  scope.route({
    method: 'PATCH',
    url: '/user/self/edit',
    config: { cloud: { access: 'token', audit: 'user.renamed', failures: [invalid('Username'), UsernameTaken] } },
    schema: {
      operationId: 'editSelf', summary: 'Change the own name', tags, body: UsernameBody, response: { 201: Message }
    },
    handler: async request => {
      await users.rename(permit(request), request.body.username)
      return message(201, 'User edited successfully')
    }
  })

  scope.route({
    method: 'PATCH',
    url: '/user/self/change-password',
    config: {
      cloud: {
        access: 'token',
        beforePasswordChange: true,
        audit: 'user.password-changed',
        failures: [
          ...passwordFailures, PasswordNotNew, PasswordChangeUnderWay, TooBusy,
          ...(settings.requireCurrentPassword ? [CurrentPasswordWrong, TooManyFailedLogins] : [])
        ]
      }
    },
    schema: {
      operationId: 'changePassword',
      summary: 'Change the own password, which ends the other sessions',
      description: `At least ${settings.minPasswordLength} characters and at most 72 bytes of UTF-8.`,
      tags,
      body: passwordBody(settings.requireCurrentPassword),
      response: { 200: Message }
    },
    handler: async request => {
      await users.changePassword(permit(request), request.body, addressOf(request))
      return message(200, 'Password changed successfully')
    }
  })

  scope.route({
    method: 'DELETE',
    url: '/user/self',
    config: { cloud: { access: 'token', setsCookie: true, audit: 'user.deleted', failures: [LastAdmin] } },
    schema: { operationId: 'deleteSelf', summary: 'Delete the own account', tags, response: { 204: NoContent } },
    handler: async (request, reply) => {
      await users.delete(permit(request), callers.of(request).user.uuid)
      cookie.clear(reply)
      return noContent
    }
  })

  scope.route({
    method: 'GET',
    url: '/user/tokens',
    config: { cloud: { access: 'token' } },
    schema: {
      operationId: 'listTokens', summary: 'List the own tokens', tags, response: { 200: Envelope(Type.Array(Token)) }
    },
    handler: async request => ok(await sessions.list(callers.of(request)))
  })

  scope.route({
    method: 'DELETE',
    // A parameter would be cut off by the router's limit, which a whole token exceeds.
    url: '/user/token/*',
    config: { cloud: { access: 'token', setsCookie: true, audit: 'token.deleted', wildcard: 'token', failures: [TokenNotFound] } },
    schema: {
      operationId: 'deleteToken',
      summary: 'Delete one of the own tokens',
      description: 'By its id, as the list of tokens shows it, or by the token itself, which then stands in the URL.',
      tags,
      params: Type.Object({ '*': Type.String() }),
      response: { 204: NoContent }
    },
    handler: async (request, reply) => {
      const ended = await sessions.end(permit(request), request.params['*'].replace(/\/$/, ''))
      tell(request, { id: ended })
      if (ended === sessionOf(callers.of(request)).id) cookie.clear(reply)
      return noContent
    }
  })

  scope.route({
    method: 'DELETE',
    url: '/user/tokens',
    config: { cloud: { access: 'token', setsCookie: true, audit: 'tokens.deleted' } },
    schema: { operationId: 'deleteTokens', summary: 'Delete all of the own tokens', tags, response: { 204: NoContent } },
    handler: async (request, reply) => {
      await sessions.endAll(permit(request))
      cookie.clear(reply)
      return noContent
    }
  })
}
