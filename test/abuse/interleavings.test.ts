/**
 * Requests that are parked wherever something has to be waited for, let go in any order, against a model of who may do what:
 * nothing succeeds whose actor had no right to it when it was committed, and nobody is refused who had it all the time. Streams of
 * events are opened and gone on with in between: none is told of anything once its reader's right has ended, and none ends before.
 * `INTERLEAVING_RUNS=1000` tries more, `INTERLEAVING_SEED=<n>` the same again.
 */
import bcrypt from 'bcryptjs'
import fc from 'fast-check'
import Fastify, { type FastifyInstance } from 'fastify'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { hashOf, makeKey } from '../../lib/access/key.js'
import { fastifyCloud } from '../../lib/index.js'
import type { Listed } from '../../types/runtime.js'
import type { Asked, CloudStorage } from '../../types/storage.js'
import { base, secret } from '../fixtures/cloud.js'
import { type Change, type Journal, postgresJournal, sqliteJournal } from '../fixtures/commit-journal.js'
import { lacksPostgres, startPostgres } from '../fixtures/postgres.js'
import { type Lists, lists } from '../fixtures/events.js'
import { newSeed, rounds } from '../fixtures/rounds.js'
import { aGroup } from '../fixtures/runtime.js'
import { type Followed, followBy, permissionOf, settleStreams, topics, watchStreams } from './followed.js'

t.setTimeout(600_000)

const runs = Number(process.env['INTERLEAVING_RUNS'] ?? rounds(12, 100))
const seed = Number(process.env['INTERLEAVING_SEED'] ?? newSeed())

const operator: Asked = { by: { kind: 'operator' } }
const managing = ['cloud.role.create', 'cloud.role.edit', 'cloud.role.delete']
const verbs = ['cloud.service.execute', 'cloud.group.create', 'cloud.terminal.command']
const listing = topics.slice(0, 2).map(permissionOf)
const grantable = ['mycore.a', 'mycore.b', 'cloud.service.execute', ...listing]

/** Who may do what. */
interface State {
  readonly users: Map<string, { readonly roleId: number, readonly hash: string }>
  readonly roles: Map<number, readonly string[]>
  /** Whose sessions they are. */
  readonly sessions: Map<string, string>
  /** By id, and by no id that a session has. */
  readonly keys: Map<string, { readonly uuid: string, readonly permissions: readonly string[] }>
}

function apply ({ users, roles, sessions, keys }: State, { table, verb, row }: Change): void {
  const gone = verb === 'delete'
  if (table === 'users') gone ? users.delete(String(row['uuid'])) : users.set(String(row['uuid']), { roleId: Number(row['role_id']), hash: String(row['password_hash']) })
  if (table === 'roles') gone ? roles.delete(Number(row['id'])) : roles.set(Number(row['id']), JSON.parse(String(row['permissions'])))
  if (table === 'sessions') gone ? sessions.delete(String(row['id'])) : sessions.set(String(row['id']), String(row['user_uuid']))
  if (table === 'keys') gone ? keys.delete(String(row['id'])) : keys.set(String(row['id']), { uuid: String(row['user_uuid']), permissions: JSON.parse(String(row['permissions'])) })
}

/** What somebody with that session, or that key, may do; nothing without one. */
function rights ({ users, roles, sessions, keys }: State, session: string) {
  const key = keys.get(session)
  const uuid = sessions.get(session) ?? key?.uuid
  const roleId = users.get(uuid ?? '')?.roleId
  const permissions = roleId === undefined ? undefined : roles.get(roleId)
  const isOwnerAble = (permission: string): boolean => roleId === -1 || permissions?.includes(permission) === true
  return {
    // Of a key no route asks whose it is.
    uuid: key === undefined ? uuid : undefined,
    isThere: permissions !== undefined,
    isAnybody: permissions !== undefined && key === undefined,
    isAdmin: roleId === -1 && key === undefined,
    holds: (permission: string) => isOwnerAble(permission) && (key === undefined || key.permissions.includes(permission))
  }
}

/** One request: what is sent, what it needs, and by what it is known among the changes. */
interface Act {
  readonly request: readonly [method: string, path: string, body?: unknown]
  /** Whether somebody with that session may have it done. */
  may (state: State, session: string): boolean
  /** The first row that it changes, when it succeeds; undefined for a verb of the runtime. */
  readonly isIn?: (change: Change, session: string, before: State) => boolean
  /** A refusal by the rule of the route, and not one of what the request wants in particular. */
  readonly needs: (state: State, session: string) => boolean
}

const anybody = (state: State, session: string): boolean => rights(state, session).isAnybody
const admin = (state: State, session: string): boolean => rights(state, session).isAdmin
const holds = (permission: string) => (state: State, session: string): boolean => rights(state, session).holds(permission)
const mayGrant = (state: State, session: string, wanted: readonly string[], present: readonly string[] = []): boolean =>
  wanted.every(one => present.includes(one) || rights(state, session).holds(one))
const hexColor = '#123456'

/** Somebody who logged in, or tries to, or something that has a key. */
interface Slot {
  readonly key?: { readonly id: string, readonly text: string }
  token: string
  readonly username: string
  readonly uuid: string
  password: string
}

const sessionOf = (token: string): string =>
  token === '' ? '' : JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()).jti

/** What there is to do, some of it more often. */
const kinds = fc.oneof(
  fc.constantFrom('logout', 'delete tokens', 'change password', 'set role', 'edit role', 'delete user', 'create role', 'create group'),
  fc.constantFrom('edit role', 'set role', 'logout', 'create group'),
  fc.constantFrom('login', 'delete token', 'rename', 'delete self', 'create user', 'delete role', 'command', 'terminal', 'first setup'),
  fc.constantFrom('delete key', 'delete any key', 'create key')
)

const people = 6
const machines = 3

const stepOf = <Kind extends string>(kind: fc.Arbitrary<Kind>) => fc.record({
  kind,
  /** Who, by the place of the slot. */
  who: fc.nat(people + machines - 1),
  core: fc.nat(1),
  /** What it is about, by its place. */
  what: fc.nat(5),
  role: fc.nat(4),
  grant: fc.subarray(grantable)
})
type Kind = (typeof kinds extends fc.Arbitrary<infer K> ? K : never) | 'follow' | 'change'
type Step = ReturnType<typeof stepOf<Kind>> extends fc.Arbitrary<infer S> ? S : never

const some = <Kind extends string>(kind: fc.Arbitrary<Kind>, minLength: number, maxLength: number) => fc.array(stepOf(kind), { minLength, maxLength, size: 'max' })
/** The scheduler says in which order they come. */
const steps = fc.tuple(some(kinds, 10, 20), some(fc.constant('follow'), 4, 6), some(fc.constant('change'), 4, 6)).map((parts): Step[] => parts.flat())

interface Stage {
  readonly apps: readonly FastifyInstance[]
  readonly storage: CloudStorage
  readonly runtime: Lists
  readonly journal: Journal
  /** Where requests wait; none does without one. */
  park: ((where: string) => Promise<void>) | undefined
  /** What has been acknowledged, where it is known before anything else happens: of one process. */
  readonly told: State | undefined
  /** Writes whose outcome is not known yet. */
  underWay: number
  onVerb: (line: string) => void
  /** Something has changed that nobody is told of yet. */
  isUntold: boolean
  turns: number
  streams: Followed[]
}

/** A storage whose calls wait at the gate: a write before it is begun, an answer before it is given. */
function gated (storage: CloudStorage, stage: () => Stage): CloudStorage {
  const wait = async (where: string): Promise<void> => { await stage().park?.(where) }
  const writes = ['insert', 'insertFirst', 'rename', 'setRole', 'setPassword', 'delete', 'deleteAll', 'update']
  const part = <T extends object>(name: string, store: T): T => Object.fromEntries(Object.entries(store).map(([verb, call]) => [verb,
    async (...args: unknown[]) => {
      if (!writes.includes(verb)) {
        const answer = await call(...args)
        if (verb === 'find') await wait(`${name}.find, answered`)
        return answer
      }
      await wait(`${name}.${verb}`)
      stage().underWay++
      try {
        const outcome = await call(...args)
        acknowledge(stage().told, `${name}.${verb}`, args, outcome)
        return outcome
      } finally {
        stage().underWay--
      }
    }])) as T
  return {
    ...storage,
    users: part('users', storage.users),
    roles: part('roles', storage.roles),
    sessions: part('sessions', storage.sessions),
    keys: part('keys', storage.keys)
  }
}

/** What follows from a write that succeeded, for those who have heard so. */
function acknowledge (told: State | undefined, write: string, args: any[], outcome: unknown): void {
  if (told === undefined || (typeof outcome === 'string' && outcome !== 'done')) return
  const { users, roles, sessions, keys } = told
  const endAll = (uuid: string, except?: string): void => {
    for (const [id, owner] of sessions) if (owner === uuid && id !== except) sessions.delete(id)
  }
  switch (write) {
    case 'users.insert': case 'users.insertFirst': users.set(args[0].uuid, { roleId: args[0].roleId, hash: '' }); break
    case 'users.setRole': users.set(args[0], { roleId: args[1], hash: '' }); break
    case 'users.setPassword': endAll(args[0], args[2].keepSession); break
    case 'users.delete': users.delete(args[0]); endAll(args[0]); break
    case 'roles.insert': case 'roles.update': roles.set((outcome as { id: number }).id, (outcome as { permissions: string[] }).permissions); break
    case 'roles.delete': roles.delete(args[0]); break
    case 'sessions.insert': sessions.set(args[0].id, args[0].userUuid); break
    case 'sessions.delete': sessions.delete(args[1]); break
    case 'sessions.deleteAll': endAll(args[0]); break
    case 'keys.insert': keys.set(args[0].id, { uuid: args[0].userUuid, permissions: args[0].permissions }); break
    case 'keys.delete': keys.delete(args[0]); break
  }
}

async function open (t: Test, storages: readonly CloudStorage[], journal: Journal): Promise<Stage> {
  const plain = lists()
  const control = plain.services.control as NonNullable<typeof plain.services.control>
  const groups = plain.groups.control as NonNullable<typeof plain.groups.control>
  /** A list that is waited for, as what a verb asks before it is called. */
  const slow = <T>(name: string, list: () => readonly T[]): Listed<T> => ({
    list: async () => {
      await stage.park?.(name)
      await stage.park?.(`${name}, answered`)
      return list()
    }
  })
  const runtime: Lists = Object.assign(Object.create(plain), {
    platforms: slow('platforms', () => plain.given.platforms),
    templates: { ...plain.templates as NonNullable<typeof plain.templates>, ...slow('templates', () => plain.given.templates) },
    services: Object.assign(Object.create(plain.services), {
      list: plain.services.list, control: { ...control, command: (name: string, line: string) => { stage.onVerb(line); return name !== '' } }
    }),
    groups: {
      ...slow('groups', () => plain.given.groups),
      control: { ...groups, create: (group: { name: string }) => { stage.onVerb(group.name); return true } }
    },
    terminal: { execute: (line: string) => { stage.onVerb(line); return { accepted: true, output: [] } } }
  })
  const empty: State = { users: new Map(), roles: new Map(), sessions: new Map(), keys: new Map() }
  const stage: Stage = {
    apps: [], storage: storages[0] as CloudStorage, runtime, journal, park: undefined, told: storages.length === 1 ? empty : undefined, underWay: 0, onVerb: () => {}, isUntold: false, turns: 0, streams: []
  }
  for (const storage of storages) {
    const app = Fastify()
    watchStreams(app)
    for (const hook of ['onRequest', 'preParsing', 'preHandler'] as const) {
      app.addHook(hook as 'onRequest', async () => { await stage.park?.(hook) })
    }
    await app.register(fastifyCloud, {
      storage: gated(storage, () => stage),
      runtime,
      secret,
      passwordCost: 4,
      metrics: { interval: 0 },
      live: { sockets: 10_000, socketsPerUser: 10_000 },
      loginThrottle: { perAddress: 1e9, perAddressAndName: 1e9 }
    })
    await app.ready()
    t.teardown(() => app.close())
    ;(stage.apps as FastifyInstance[]).push(app)
  }
  return stage
}

let counted = 0
const password = 'the password of everybody'
const hash = bcrypt.hashSync(password, 4)

/** Takes all accounts away and makes new ones; answers who is logged in and the roles that there are. */
async function furnish ({ storage: { users, roles, keys }, apps }: Stage): Promise<{ slots: Slot[], roleIds: number[] }> {
  // The admins last: one has to be there as long as anybody is.
  for (const { user } of (await users.list()).toSorted((a, b) => b.role.id - a.role.id)) await users.delete(user.uuid, operator)
  for (const { role } of await roles.list()) if (!role.default) await roles.delete(role.id, operator)
  const make = async (permissions: readonly string[]): Promise<number> => {
    const label = `role ${++counted}`
    const role = await roles.insert({ label, labelKey: label, hexColor, permissions }, operator)
    if (typeof role === 'string') throw new Error(role)
    return role.id
  }
  const roleIds = [await make([...managing, ...verbs, ...listing, 'mycore.a']), await make([...managing, ...grantable]), await make([])]
  const owners: Array<{ username: string, uuid: string }> = []
  for (const roleId of [-1, -1, roleIds[0] as number, roleIds[1] as number]) {
    const username = `user ${++counted}`
    const uuid = `uuid ${counted}`
    const user = { uuid, username, nameKey: username, roleId, passwordHash: hash, hasChangedPassword: true, createdAt: counted }
    const outcome = owners.length === 0 ? await users.insertFirst(user) : await users.insert(user, operator)
    if (outcome !== 'done') throw new Error(outcome)
    owners.push({ username, uuid })
  }
  const slots: Slot[] = []
  for (const place of [0, 0, 1, 2, 2, 3]) {
    const slot = { ...owners[place] as typeof owners[0], password, token: '' }
    await logIn(apps[0] as FastifyInstance, slot)
    if (slot.token === '') throw new Error('Nobody can log in')
    slots.push(slot)
  }
  for (const place of [0, 2, 3]) {
    const { uuid, username } = owners[place] as typeof owners[0]
    const { id, text } = makeKey()
    const permissions = [...managing, ...verbs, ...listing, 'mycore.a']
    const outcome = await keys.insert({
      id, userUuid: uuid, label: id, hash: hashOf(text), permissions, addresses: [], createdAt: counted, expiresAt: null, lastUsedAt: null
    }, { most: 9, ...operator })
    if (outcome !== 'done') throw new Error(outcome)
    slots.push({ uuid, username, password, token: '', key: { id, text } })
  }
  return { slots, roleIds: [-1, 0, ...roleIds] }
}

async function logIn (app: FastifyInstance, slot: Slot): Promise<number> {
  const { username, password } = slot
  const { statusCode, cookies } = await app.inject({ method: 'POST', url: `${base}/auth/login`, payload: { username, password } })
  const token = cookies.find(({ name }) => name === 'token')?.value
  if (token !== undefined) slot.token = token
  return statusCode
}

/** What a step sends, and what is true of it. */
function actOf ({ kind, what, role, grant }: Step, name: string, slots: readonly Slot[], roleIds: readonly number[]): Act {
  const target = slots[what % people] as Slot
  const keyId = slots[people + what % machines]?.key?.id as string
  // The slot may have another by the time that it is asked for.
  const { token } = target
  const roleId = roleIds[role % roleIds.length] as number
  const own = (change: Change, session: string, before: State): boolean => change.table === 'users' && change.row['uuid'] === rights(before, session).uuid
  const changes = (table: Change['table'], verb: Change['verb'], key: string, value: unknown) => (change: Change): boolean =>
    change.table === table && change.verb === verb && change.row[key] === value
  switch (kind) {
    case 'logout': case 'delete tokens': return {
      request: kind === 'logout' ? ['POST', '/auth/logout'] : ['DELETE', '/user/tokens'],
      needs: anybody,
      may: anybody,
      isIn: ({ table, verb, row }, session) => table === 'sessions' && verb === 'delete' && row['id'] === session
    }
    case 'delete token': return {
      request: ['DELETE', `/user/token/${token}`],
      needs: anybody,
      may: (state, session) => rights(state, session).uuid !== undefined && rights(state, session).uuid === rights(state, sessionOf(token)).uuid,
      isIn: changes('sessions', 'delete', 'id', sessionOf(token))
    }
    case 'change password': return {
      request: ['PATCH', '/user/self/change-password', { password: name }],
      needs: anybody,
      may: anybody,
      isIn: (change, session, before) => own(change, session, before) && change.verb === 'update' && bcrypt.compareSync(name, String(change.row['password_hash']))
    }
    case 'rename': return {
      request: ['PATCH', '/user/self/edit', { username: name }], needs: anybody, may: anybody, isIn: changes('users', 'update', 'name_key', name)
    }
    case 'delete self': return {
      request: ['DELETE', '/user/self'], needs: anybody, may: anybody, isIn: (change, session, before) => own(change, session, before) && change.verb === 'delete'
    }
    case 'create user': return {
      request: ['POST', '/user/', { username: name, roleId }], needs: admin, may: admin, isIn: changes('users', 'insert', 'name_key', name)
    }
    case 'delete user': return {
      request: ['DELETE', `/user/${target.uuid}`], needs: admin, may: admin, isIn: changes('users', 'delete', 'uuid', target.uuid)
    }
    case 'set role': return {
      request: ['PATCH', '/user/edit', { uuid: target.uuid, roleId }],
      needs: admin,
      may: admin,
      isIn: ({ table, verb, row }) => table === 'users' && verb === 'update' && row['uuid'] === target.uuid && row['role_id'] === roleId
    }
    case 'create role': return {
      request: ['POST', '/role/', { label: name, hexColor, permissions: grant }],
      needs: holds('cloud.role.create'),
      may: (state, session) => rights(state, session).holds('cloud.role.create') && mayGrant(state, session, grant),
      isIn: changes('roles', 'insert', 'label_key', name)
    }
    case 'edit role': return {
      request: ['PATCH', `/role/${roleId}`, { label: name, hexColor, ...roleId !== -1 && { permissions: grant } }],
      needs: holds('cloud.role.edit'),
      may: (state, session) => rights(state, session).holds('cloud.role.edit') && (roleId === -1 || mayGrant(state, session, grant, state.roles.get(roleId))),
      isIn: changes('roles', 'update', 'label_key', name)
    }
    case 'delete role': return {
      request: ['DELETE', `/role/${roleId}`],
      needs: holds('cloud.role.delete'),
      may: holds('cloud.role.delete'),
      isIn: changes('roles', 'delete', 'id', roleId)
    }
    case 'delete key': return {
      request: ['DELETE', `/user/key/${keyId}`],
      needs: anybody,
      may: (state, session) => rights(state, session).uuid !== undefined && rights(state, session).uuid === state.keys.get(keyId)?.uuid,
      isIn: changes('keys', 'delete', 'id', keyId)
    }
    case 'delete any key': return {
      request: ['DELETE', `/key/${keyId}`], needs: admin, may: admin, isIn: changes('keys', 'delete', 'id', keyId)
    }
    case 'create key': return {
      request: ['POST', '/user/keys', { label: name, permissions: grant }],
      needs: anybody,
      may: (state, session) => anybody(state, session) && mayGrant(state, session, grant),
      isIn: ({ table, verb, row }, session, before) => table === 'keys' && verb === 'insert' && row['user_uuid'] === rights(before, session).uuid
    }
    case 'command': return {
      request: ['POST', '/service/lobby-1/command', { command: name }], needs: holds('cloud.service.execute'), may: holds('cloud.service.execute')
    }
    case 'terminal': return {
      request: ['POST', '/terminal/command', { command: name }], needs: holds('cloud.terminal.command'), may: holds('cloud.terminal.command')
    }
    case 'create group': return {
      request: ['POST', '/group/create', { ...aGroup, name: name.replace(' ', '-'), templates: [] }], needs: holds('cloud.group.create'), may: holds('cloud.group.create')
    }
    case 'first setup': return {
      request: ['POST', '/user/self', { username: name, password: 'long enough' }],
      needs: () => true,
      may: state => state.users.size === 0,
      isIn: changes('users', 'insert', 'name_key', name)
    }
    case 'follow': {
      const asked = askedBy(what)
      const may = (state: State, session: string): boolean =>
        rights(state, session).isThere && (asked ?? []).every(topic => rights(state, session).holds(permissionOf(topic)))
      return { request: ['GET', '/events'], needs: may, may }
    }
    case 'change': return { request: ['', ''], needs: () => true, may: () => true }
    case 'login': return { request: ['POST', '/auth/login'], needs: () => true, may: () => true }
  }
}

/** The topics that a step asks for. */
const askedBy = (what: number): readonly string[] | undefined => what % 3 === 0 ? undefined : topics.slice(0, what % 3)

interface Done {
  readonly name: string
  readonly step: Step
  readonly act: Act
  readonly session: string
  readonly status: number
  readonly message: string
}

/** Sends everything at once, and lets the scheduler say who goes on. */
async function perform (stage: Stage, steps: readonly Step[], slots: readonly Slot[], roleIds: readonly number[], violations: string[]): Promise<Done[]> {
  const verbs = new Map<string, { readonly act: Act, readonly session: string }>()
  stage.onVerb = line => {
    const one = verbs.get(line)
    if (one === undefined || stage.told === undefined || stage.underWay > 0) return
    if (!one.act.may(stage.told, one.session)) violations.push(`${line}: a verb was called for somebody whose right had ended`)
  }
  return await Promise.all(steps.map(async (step, at): Promise<Done> => {
    const name = `act-${counted}-${at}`
    await stage.park?.(`${step.kind}, begun`)
    const app = stage.apps[step.core % stage.apps.length] as FastifyInstance
    const slot = slots[step.who % slots.length] as Slot
    const session = slot.key?.id ?? sessionOf(slot.token)
    const act = actOf(step, name, slots, roleIds)
    if (act.isIn === undefined) verbs.set(name, { act, session })
    if (step.kind === 'login' && slot.key === undefined) return { name, step, act, session, status: await logIn(app, slot), message: '' }
    const done = { name, step, act, session }
    if (step.kind === 'change') {
      if (step.role % 2 === 0) stage.runtime.put({ name: `s-${step.what}`, motd: name })
      else stage.runtime.move('lobby-1', step.role === 1 ? 'ONLINE' : 'STOPPING')
      stage.isUntold = true
      return { ...done, status: 200, message: '' }
    }
    const headers: Record<string, string> = step.kind === 'first setup' ? {} : slot.key === undefined ? { cookie: `token=${slot.token}` } : { authorization: `Bearer ${slot.key.text}` }
    if (step.kind === 'follow') {
      const asked = askedBy(step.what)
      const before = step.role === 0 ? undefined : stage.streams.find(one => one.session === session && one.asked?.join() === asked?.join())
      const answer = await followBy({ app, isRevoked: (session, topics) => isRevoked(stage, session, topics), violations }, headers, session, asked, before)
      if ('status' in answer) return { ...done, ...answer }
      stage.streams.push(answer)
      return { ...done, status: 200, message: '' }
    }
    const [method, path, payload] = act.request
    const { statusCode, body } = await app.inject({
      method: method as 'GET',
      url: `${base}${path}`,
      ...payload !== undefined && { payload: payload as object },
      headers
    })
    return { ...done, status: statusCode, message: body === '' ? '' : JSON.parse(body).message }
  }))
}

const mayFollow = (state: State, session: string, topics: readonly string[]): boolean =>
  rights(state, session).isThere && topics.every(topic => rights(state, session).holds(permissionOf(topic)))

/** Whether everybody has heard that somebody may not follow those topics any more. */
const isRevoked = ({ told, underWay }: Stage, session: string, topics: readonly string[]): boolean =>
  told !== undefined && underWay === 0 && !mayFollow(told, session, topics)

/** Compares what was answered with what was committed, transaction by transaction. */
function judge (state: State, changes: readonly Change[], done: readonly Done[], violations: string[], streams: readonly Followed[]): (one: Followed) => boolean {
  const committed = new Set<Done>()
  const hadAlways = new Set(streams.filter(({ session, topics }) => mayFollow(state, session, topics)))
  const had = new Map(done.map(one => [one, one.act.needs(state, one.session)]))
  for (let at = 0; at < changes.length;) {
    const { turn } = changes[at] as Change
    const rows: Change[] = []
    while (changes[at]?.turn === turn) rows.push(changes[at++] as Change)
    for (const one of done) {
      const { act, session, status, name, step, message } = one
      if (act.isIn === undefined || !rows.some(row => act.isIn?.(row, session, state))) continue
      if (status >= 400) {
        // What is known by its name alone is nobody else's.
        if (rows.some(({ row }) => row['name_key'] === name || row['label_key'] === name)) violations.push(`${name}, ${step.kind}: answered ${status} ${message}, and is stored`)
        continue
      }
      if (act.may(state, session)) committed.add(one)
    }
    for (const row of rows) apply(state, row)
    for (const one of done) had.set(one, had.get(one) === true && one.act.needs(state, one.session))
    for (const one of hadAlways) if (!mayFollow(state, one.session, one.topics)) hadAlways.delete(one)
  }
  for (const one of done) {
    const { act, status, message, name, step } = one
    if (status >= 500) violations.push(`${name}, ${step.kind}: answered ${status} ${message}`)
    if (status < 400 && act.isIn !== undefined && !committed.has(one)) violations.push(`${name}, ${step.kind}: answered ${status}, and was not committed while they had the right`)
    const isRefused = message === 'Forbidden' || message === 'Invalid or expired token' || message === 'Invalid or expired key'
    if (isRefused && had.get(one) === true) violations.push(`${name}, ${step.kind}: answered ${status} ${message}, and had the right all the time`)
  }
  return one => hadAlways.has(one)
}

/** What changed is told of with the next tick of the journal. */
const tickMs = 45

/** Whoever is let go comes to the next gate, where there is no database to wait for; else those who go on first always would. */
const actOn = (stage: Stage) => async (letGo: () => Promise<void>): Promise<void> => {
  await letGo()
  for (let turn = 0; turn < 5; turn++) await nextTurn()
  // Not always with the next gate, but in the middle of whatever is under way then.
  if (!stage.isUntold || !stage.streams.some(({ isEnded }) => !isEnded) || stage.turns++ % 3 !== 0) return
  stage.isUntold = false
  await delay(tickMs)
}

async function explore (t: Test, stage: Stage, numRuns: number): Promise<void> {
  t.comment(`seed ${seed}, ${numRuns} runs`)
  const state: State = { users: new Map(), roles: new Map((await stage.storage.roles.list()).map(({ role }) => [role.id, role.permissions])), sessions: new Map(), keys: new Map() }
  const statuses = new Map<string, number>()
  const counts = { streams: 0, ended: 0, told: 0 }
  await fc.assert(fc.asyncProperty(fc.scheduler({ act: actOn(stage) }), steps, async (scheduler, steps) => {
    const { slots, roleIds } = await furnish(stage)
    for (const change of await stage.journal.read()) apply(state, change)
    if (stage.told !== undefined) {
      for (const part of ['users', 'roles', 'sessions', 'keys'] as const) {
        stage.told[part].clear()
        for (const [key, value] of state[part]) (stage.told[part] as Map<unknown, unknown>).set(key, value)
      }
    }
    const violations: string[] = []
    const startedAt = performance.now()
    stage.streams = []
    stage.park = async where => { await scheduler.schedule(Promise.resolve(), where) }
    const all = perform(stage, steps, slots, roleIds, violations)
    const done = await scheduler.waitFor(all).finally(async () => {
      stage.park = undefined
      // Looks at lists and at readers that no request has waited for.
      await scheduler.waitIdle()
    })
    const isQuick = performance.now() - startedAt < 900
    const hadAlways = judge(state, await stage.journal.read(), done, violations, stage.streams)
    await settleStreams(stage.streams, {
      isLost: ({ session, topics }) => !mayFollow(state, session, topics),
      // Of whom it was not known for a second whether they may stay, they go.
      hadAlways: one => isQuick && hadAlways(one),
      put: () => {
        const motd = `the last of ${counted}`
        stage.runtime.put({ name: 'lobby-1', motd })
        return motd
      }
    }, violations)
    for (const { motds, isEnded } of stage.streams) {
      counts.streams++
      counts.told += motds.size
      if (isEnded) counts.ended++
    }
    for (const { step, status } of done) statuses.set(`${step.kind} ${status}`, (statuses.get(`${step.kind} ${status}`) ?? 0) + 1)
    if (violations.length > 0) throw new Error(violations.join('\n'))
  }), { seed, numRuns, interruptAfterTimeLimit: 500_000 })
  t.comment(`${counts.streams} streams, ${counts.ended} of them ended, ${counts.told} changes`)
  t.ok(counts.ended > 0 && counts.ended < counts.streams && counts.told > 0, 'streams are told of much, some end, and some do not')
  t.comment([...statuses].sort().map(([what, count]) => `${what}: ${count}`).join(', '))
  const kindsOf = (isSuccess: boolean) => new Set([...statuses.keys()].filter(what => (Number(what.slice(-3)) < 400) === isSuccess).map(what => what.slice(0, -4)))
  // Few runs meet fewer kinds.
  const some = Math.min(8, Math.ceil(numRuns / 2))
  t.ok(kindsOf(true).size > some && kindsOf(false).size > some, 'much of it succeeds, and much is refused')
}

t.test('S2: over SQLite no act succeeds whose actor had no right when it was committed', async t => {
  const { storage, journal } = await sqliteJournal(join(t.testdir(), 'cloud.db'))
  t.teardown(() => storage.close())
  await explore(t, await open(t, [storage], journal), runs)
})

t.test('S2: the same over PostgreSQL, by two processes', { skip: lacksPostgres() }, async t => {
  const { url, newSchema, stop } = await startPostgres()
  t.teardown(stop)
  const { storages, journal, close } = await postgresJournal(url, newSchema())
  t.teardown(close)
  await explore(t, await open(t, storages, journal), Math.ceil(runs / 3))
})
