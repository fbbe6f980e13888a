/** The composition root: options, decorator, hooks, routes, from top to bottom. */
import { setMaxListeners } from 'node:events'
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyReply, FastifyRequest, RegisterOptions } from 'fastify'
import { SetupError } from '../types/errors.js'
import type { CloudOptions } from '../types/options.js'
import { createAuditLog } from './accounts/audit-log.js'
import { createAccounts } from './accounts/accounts.js'
import { createAttempts } from './accounts/attempts.js'
import { createPasswords } from './accounts/passwords.js'
import { createActivity } from './access/activity.js'
import { createAudit, record } from './access/audit.js'
import { makeEntry } from './access/audit-entry.js'
import { createAuditJournal } from './access/audit-journal.js'
import { type Callers, createCallers } from './access/caller.js'
import { createTokenCookie } from './access/cookie.js'
import { createCors } from './access/cors.js'
import { createFollowers } from './access/followers.js'
import { type Demand, createGuard } from './access/guard.js'
import { createIdentities } from './access/identities.js'
import { createKeyCheck } from './access/key-check.js'
import { type RequestSlot, createRequestSlot } from './access/request-slot.js'
import { createPasswordPool } from './accounts/password-pool.js'
import { createAuditLimit } from './accounts/audit-limit.js'
import { createTally } from './accounts/tally.js'
import { createTokenSigner } from './access/token.js'
import { tokenSize } from './access/token-size.js'
import { hideTokens } from './access/log-redaction.js'
import { createCloud } from './cloud/cloud.js'
import { followStates } from './cloud/follow-states.js'
import { type Opened, createDecorator } from './decorator.js'
import { createEventJournal } from './events/events.js'
import { createLive } from './live/live.js'
import { createConnectionLimit } from './live/connection-limit.js'
import { addLifecycle } from './lifecycle.js'
import { createCounts } from './metrics/counts.js'
import { createHistory } from './metrics/history.js'
import { createPrometheus } from './metrics/prometheus.js'
import { TooManyFailedKeys } from './errors.js'
import { type Settings, readOptions } from './options.js'
import { describeOwnRoutes } from './host-routes.js'
import { acceptJsonOnly, answerFailures, answerLast } from './http/parsing.js'
import { withBothSlashForms } from './http/slash-forms.js'
import { createCatalogue } from './http/catalogue.js'
import { whenGone } from './http/gone.js'
import { allRoutes } from './routes/index.js'
import { readQuery } from './http/isolation.js'
import { endUnread } from './http/unread.js'
import type { Parts } from './routes/parts.js'
import { compileValidator } from './http/validator.js'
import { withFailures } from './storage-failures.js'

async function plugin (fastify: FastifyInstance, options: CloudOptions): Promise<void> {
  const given = readOptions(options)
  const leaving = new AbortController()
  setMaxListeners(0, leaving.signal)
  // Avvio ends the process over a hook that takes longer than `pluginTimeout`.
  const hurryMs = Math.min(2_000, (fastify.initialConfig.pluginTimeout || Infinity) / 2)
  const settings = { ...given, storage: withFailures(given.storage, { leaving: leaving.signal, hurryMs }) }
  if (fastify.hasDecorator(settings.decorator)) {
    throw new SetupError('CLOUD_ERR_OPTION', `Option \`decorator\` must be a free name; \`${settings.decorator}\` is taken on this instance`)
  }
  // On the host's requests as well: they pass our guard on the host's own routes.
  const callers = createCallers(fastify)
  const slots = { callers, demands: createRequestSlot<Demand>(fastify, 'demand') }
  const hostDecorator = createDecorator(settings, callers)
  fastify.decorate(settings.decorator, hostDecorator.decorator as never)
  describeOwnRoutes(fastify, settings, hostDecorator)

  let opened: Opened | undefined
  // Everything else lives in a scope of its own; the host's other routes never meet it.
  const { logLevel, logSerializers } = options as RegisterOptions
  const scoped = {
    prefix: settings.prefix,
    ...(logLevel !== undefined && { logLevel }),
    logSerializers: { ...logSerializers, req: hideTokens as (request: unknown) => never }
  }
  try {
    await fastify.register(async (around: FastifyInstance) => {
      answerLast(around)
      await around.register(async (scope: FastifyInstance) => { opened = await interfaceOf(scope, settings, slots, leaving) })
    }, scoped)
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code !== 'FST_ERR_DUPLICATED_ROUTE') throw error
    throw new SetupError('CLOUD_ERR_OPTION', `Option \`prefix\` must be free; another cloud, or a route of the host, is at ${fastify.prefix}${settings.prefix}`, { cause: error })
  }
  hostDecorator.open(opened as unknown as Opened)
}

interface RequestSlots {
  readonly callers: Callers
  readonly demands: RequestSlot<Demand>
}

async function interfaceOf (
  scope: FastifyInstance, settings: Settings, { callers, demands }: RequestSlots, leaving: AbortController
): Promise<Opened> {
  const { storage, clock, metrics } = settings
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const tokens = createTokenSigner(settings)
  const cookie = await createTokenCookie(scope, settings)
  const activity = createActivity(clock, noted => storage.sessions.touch(noted.map(([id, lastActivity]) => ({ id, lastActivity }))))
  const keysInUse = createActivity(clock, noted => storage.keys.touch(noted.map(([id, lastUsedAt]) => ({ id, lastUsedAt }))))
  const pool = createPasswordPool()
  const passwords = createPasswords(pool, settings)
  const identities = createIdentities(storage, tokens, clock, closing.signal)
  const auditJournal = createAuditJournal(storage.audit, scope.log)
  const tallyOf = (action: 'login.throttled' | 'key.throttled') => createTally(clock, (address, count) => {
    const entry = { action, outcome: 'refused', address, user: null, key: null, detail: { count } } as const
    record(scope.log, entry)
    auditJournal.note(makeEntry(clock.now(), entry))
  })
  const throttledLogins = tallyOf('login.throttled')
  const throttledKeys = tallyOf('key.throttled')
  const auditLimit = createAuditLimit(clock, auditJournal.note)
  const audit = createAudit({
    callers,
    log: scope.log,
    now: clock.now,
    admit: auditLimit.admit,
    note: entry => { if (auditLimit.takes(entry)) auditJournal.note(entry) }
  })
  const guard = createGuard({
    settings,
    identities,
    keys: createKeyCheck({
      identities,
      attempts: createAttempts(settings, throttledKeys.note, TooManyFailedKeys),
      audit,
      used: async () => (await storage.keys.listAll(clock.now())).filter(({ key }) => key.lastUsedAt !== null).map(({ key }) => key.id)
    }),
    callers,
    demands,
    audit,
    onActivity: ({ credential }) => {
      if (credential.kind === 'session') activity.note(credential.session.id)
      else keysInUse.note(credential.key.id)
    }
  })
  const counts = createCounts()
  const cloud = createCloud(settings, scope.log, closing.signal, counts)
  const retention = { minute: metrics.keepMinutes, hour: metrics.keepHours, day: metrics.keepDays }
  const followers = createFollowers(storage, identities, scope.log)
  const connections = createConnectionLimit(settings)
  const live = createLive(scope, { settings, callers, followers, connections, events: cloud.events, count: counts.answered })
  const eventJournal = createEventJournal({ settings, cloud, callers, followers, connections, audit, log: scope.log, closing: leaving.signal })
  const prometheus = createPrometheus({
    registry: metrics.registry,
    counts,
    services: async () => await cloud.lists.services(),
    watch: listener => {
      followStates(cloud.events, listener, {
        signal: leaving.signal, onError: error => { scope.log.error({ err: error }, 'Starts of services could not be followed') }
      })
    },
    queue: () => pool.waiting,
    sockets: () => connections.kinds
  })
  if (metrics.registry !== undefined) {
    await prometheus.load().catch((error: unknown) => {
      throw new SetupError('CLOUD_ERR_OPTION', `Option \`metrics.registry\` cannot be used: ${(error as Error).message}`, { cause: error })
    })
  }
  const parts: Parts = {
    counts,
    prometheus,
    settings,
    callers,
    audit,
    auditLog: createAuditLog(storage, auditJournal),
    leaving: leaving.signal,
    permit: guard.permit,
    waiting: (request, reply) => ({ party: callers.of(request).user.uuid, gone: whenGone(reply) }),
    live,
    events: eventJournal,
    cookie,
    cloud,
    history: createHistory(storage.metrics, cloud.lists.sample, retention, clock, scope.log),
    accounts: createAccounts({
      storage,
      settings,
      tokens,
      activity,
      keyActivity: keysInUse,
      log: scope.log,
      passwords,
      onThrottled: throttledLogins.note,
      fits: permissions => cookie.size(tokenSize(permissions)) < 4096
    })
  }

  acceptJsonOnly(scope)
  scope.setValidatorCompiler(compileValidator as never)
  scope.setSerializerCompiler(() => data => JSON.stringify(data))
  scope.setReplySerializer(data => JSON.stringify(data))
  const cors = createCors(settings.allowedOrigins)
  function head (request: FastifyRequest, reply: FastifyReply): void {
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff')
    cors.allow(request, reply)
  }
  scope.addHook('onRequest', (request, reply, done) => {
    readQuery(request)
    head(request, reply)
    endUnread(request, reply)
    done()
  })
  const { entries, isDocumented } = createCatalogue(scope, { settings, guard, audit, count: counts.answered })
  answerFailures(scope, { head, preflight: cors.preflight, count: counts.answered })
  for (const routes of allRoutes) await routes(withBothSlashForms(scope), parts)

  addLifecycle(scope, {
    settings,
    passwords,
    activity,
    keyActivity: keysInUse,
    auditJournal,
    history: parts.history,
    counted: [throttledLogins, throttledKeys, auditLimit],
    pool,
    followers,
    live,
    events: eventJournal,
    leaving,
    closing
  })
  async function terminal (line: string): Promise<readonly string[]> {
    const act = cloud.terminal.execute(() => undefined, line)
    audit.operator('terminal.command', act, { more: { command: line.trim() }, isLong: true })
    const output = await act
    live.topics.say([`> ${line}`, ...output])
    return output
  }
  return { guard, entries, isDocumented, accounts: parts.accounts, events: eventJournal.exposed, terminal }
}

/**
 * Registers every v3 route below `prefix` and decorates the host's instance with `fastify.cloud` (option `decorator`).
 * @throws SetupError with a `CLOUD_ERR_…` code, naming the option and what was given.
 */
export const fastifyCloud = fp(plugin, { fastify: '5.x', name: 'fastify-cloud' })
