/** Everything that can be asked of a storage, as plain data: what a sequence of random calls is made of. */
type FastCheck = typeof import('fast-check')

/** Who asks: nobody can refuse the operator; a session or key is as its user and role are now, as they were, or as they never were. */
export type By = 'operator' | { readonly session: number, readonly as: 'now' | 'at its login' | 'another' } | { readonly key: number, readonly as: 'now' | 'another' }

/** One call, with numbers in place of names; which names they mean is looked up in the pools. */
export type Command =
  | { readonly call: 'users.insertFirst' | 'users.insert', readonly user: number, readonly name: number, readonly role: number, readonly at: number, readonly hash: number, readonly by: By }
  | { readonly call: 'users.rename', readonly user: number, readonly name: number, readonly by: By }
  | { readonly call: 'users.setRole', readonly user: number, readonly role: number, readonly by: By }
  | { readonly call: 'users.setPassword', readonly user: number, readonly hash: number, readonly changed: boolean, readonly keep: number, readonly by: By }
  | { readonly call: 'users.renewHash', readonly user: number, readonly from: number, readonly hash: number }
  | { readonly call: 'users.delete', readonly user: number, readonly by: By }
  | { readonly call: 'roles.insert', readonly label: number, readonly permissions: number, readonly by: By }
  | { readonly call: 'roles.update', readonly role: number, readonly label: number, readonly permissions: number, readonly older: boolean, readonly by: By }
  | { readonly call: 'roles.delete', readonly role: number, readonly by: By }
  | { readonly call: 'sessions.insert', readonly user: number, readonly at: number, readonly lasts: number, readonly keep: number, readonly hash: number, readonly permissions: number }
  | { readonly call: 'sessions.delete', readonly session: number, readonly user: number, readonly by: By }
  | { readonly call: 'sessions.deleteAll', readonly user: number, readonly by: By }
  | { readonly call: 'sessions.touch', readonly sessions: readonly number[], readonly at: number }
  | { readonly call: 'sessions.purge', readonly at: number }
  | { readonly call: 'keys.insert', readonly user: number, readonly at: number, readonly lasts: number, readonly most: number, readonly again: boolean, readonly by: By }
  | { readonly call: 'keys.delete', readonly key: number, readonly user: number, readonly by: By }
  | { readonly call: 'keys.touch', readonly keys: readonly number[], readonly at: number }
  | { readonly call: 'keys.purge', readonly at: number }
  | { readonly call: 'audit.insert', readonly again: readonly boolean[] }
  | { readonly call: 'audit.purge', readonly before: number }
  | { readonly call: 'metrics.add', readonly buckets: ReadonlyArray<{ readonly resolution: number, readonly start: number, readonly value: number }> }
  | { readonly call: 'metrics.purge', readonly resolution: number, readonly before: number }

/** What every second sequence begins with, so that there is something to act on. */
export const prelude: readonly Command[] = [
  { call: 'users.insertFirst', user: 0, name: 0, role: 0, at: 1, hash: 0, by: 'operator' },
  { call: 'roles.insert', label: 0, permissions: 1, by: 'operator' },
  { call: 'users.insert', user: 1, name: 1, role: 1, at: 2, hash: 1, by: 'operator' },
  { call: 'users.insert', user: 2, name: 2, role: 4, at: 3, hash: 1, by: 'operator' },
  { call: 'sessions.insert', user: 0, at: 3, lasts: 300, keep: 3, hash: 1, permissions: 1 },
  { call: 'sessions.insert', user: 1, at: 2, lasts: 10, keep: 3, hash: 1, permissions: 2 },
  { call: 'sessions.insert', user: 1, at: 4, lasts: 10, keep: 3, hash: 1, permissions: 2 },
  { call: 'sessions.insert', user: 2, at: 3, lasts: 300, keep: 3, hash: 1, permissions: 0 },
  { call: 'keys.insert', user: 0, at: 4, lasts: 0, most: 5, again: false, by: 'operator' },
  { call: 'keys.insert', user: 1, at: 3, lasts: 10, most: 5, again: false, by: 'operator' }
]

/** Any command, those that make something more often than the others. */
export function commandsOf (fc: FastCheck) {
  const n = fc.nat({ max: 24 })
  const by = fc.oneof(
    { weight: 3, arbitrary: fc.constant<By>('operator') },
    { weight: 2, arbitrary: fc.record({ session: n, as: fc.constantFrom('now' as const, 'at its login' as const, 'another' as const) }) },
    { weight: 1, arbitrary: fc.record({ key: n, as: fc.constantFrom('now' as const, 'another' as const) }) })
  const one = <C extends Command['call']>(weight: number, call: C, fields: Record<string, unknown>) =>
    ({ weight, arbitrary: fc.record({ call: fc.constant(call), ...fields as object }) as unknown as import('fast-check').Arbitrary<Command> })
  const bucket = fc.record({ resolution: fc.nat({ max: 2 }), start: fc.nat({ max: 14 }), value: fc.nat({ max: 9 }) })
  return fc.oneof(
    one(1, 'users.insertFirst', { user: n, name: n, role: fc.constant(0), at: n, hash: n, by }),
    one(4, 'users.insert', { user: n, name: n, role: n, at: n, hash: n, by }),
    one(2, 'users.rename', { user: n, name: n, by }),
    one(3, 'users.setRole', { user: n, role: n, by }),
    one(2, 'users.setPassword', { user: n, hash: n, changed: fc.boolean(), keep: n, by }),
    one(1, 'users.renewHash', { user: n, from: fc.nat({ max: 3 }), hash: n }),
    one(2, 'users.delete', { user: n, by }),
    one(3, 'roles.insert', { label: n, permissions: n, by }),
    one(3, 'roles.update', { role: n, label: n, permissions: n, older: fc.boolean(), by }),
    one(2, 'roles.delete', { role: n, by }),
    one(5, 'sessions.insert', { user: n, at: n, lasts: fc.constantFrom(1, 10, 300, 5_000), keep: fc.nat({ max: 3 }), hash: fc.nat({ max: 5 }), permissions: n }),
    one(1, 'sessions.delete', { session: n, user: n, by }),
    one(1, 'sessions.deleteAll', { user: n, by }),
    one(2, 'sessions.touch', { sessions: fc.array(n, { maxLength: 4 }), at: n }),
    one(1, 'sessions.purge', { at: n }),
    one(3, 'keys.insert', { user: n, at: n, lasts: fc.constantFrom(0, 1, 10, 300), most: fc.integer({ min: 1, max: 4 }), again: fc.nat({ max: 5 }).map(n => n === 0), by }),
    one(1, 'keys.delete', { key: n, user: n, by }),
    one(1, 'keys.touch', { keys: fc.array(n, { maxLength: 4 }), at: n }),
    one(1, 'keys.purge', { at: n }),
    one(1, 'audit.insert', { again: fc.array(fc.boolean(), { maxLength: 4 }) }),
    one(1, 'audit.purge', { before: fc.nat({ max: 4 }) }),
    one(2, 'metrics.add', { buckets: fc.array(bucket, { maxLength: 6 }) }),
    one(1, 'metrics.purge', { resolution: fc.nat({ max: 2 }), before: fc.nat({ max: 14 }) }))
}
