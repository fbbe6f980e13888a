/** What can be done on the machine itself: by `admin` while the server is stopped, and by the server that it asks while one runs. */
import { createKey, deleteKey, listKeys, resetPassword } from 'fastify-cloud'
import { copyDatabase } from './backup.js'

/**
 * By name: what it does with a storage, in the directory of a cloud, what the log calls it, and what the log tells of what was
 * given and of what came of it. While it is done the server may be silent for `quietMs`, where that is long.
 */
export const acts = {
  'reset-password': {
    run: async (storage, { username }) => {
      const password = await resetPassword(storage, username)
      if (password === undefined) throw Object.assign(new Error('User not found'), { statusCode: 404 })
      return { password }
    },
    audit: 'user.password-reset',
    tell: ({ username }) => ({ username })
  },
  'key list': { run: async (storage, { username }) => await listKeys(storage, username) },
  'key create': {
    run: createKey,
    audit: 'key.created',
    tell: ({ username, label, permissions }, { id } = {}) => ({ username, id, label, permissions })
  },
  // Where the interface is; nowhere before the server listens.
  address: { run: async (_storage, _given, { address }) => address() },
  // The cloud itself tells of it.
  terminal: { run: async (_storage, { line }, { terminal }) => await terminal(line) },
  'copy database': { run: async (storage, _given, { directory }) => await copyDatabase(storage, directory), audit: 'database.copied', quietMs: 600_000 },
  'key delete': { run: async (storage, { id }) => { await deleteKey(storage, id) }, audit: 'key.deleted', tell: ({ id }) => ({ id }) }
}

/** Why an act is refused, in a word for the operator; undefined where it failed for a reason that is no answer. */
export const refusalOf = ({ statusCode, message }) => statusCode >= 400 && statusCode < 500 ? message : undefined

/** Answers a function that does an act on a storage, or in the terminal or the directory of the running server, and has the log tell of it. */
export const actsOn = (storage, log, place) => async (name, given) => {
  const { run, audit, tell } = acts[name]
  const note = (outcome, more) => { if (audit !== undefined) log.warn({ audit, outcome, ...more }, `audit: ${audit}, on this machine`) }
  try {
    const answer = await run(storage, given, place)
    note('done', tell?.(given, answer))
    return answer
  } catch (err) {
    const reason = refusalOf(err)
    if (reason === undefined) note('failed', { ...tell?.(given), err })
    else note('refused', { ...tell?.(given), reason })
    throw err
  }
}
