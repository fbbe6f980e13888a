// A cloud's storage in a process of its own, for the tests that kill it: writes user after user and journals every
// one that was acknowledged, one uuid a line.
import { writeSync } from 'node:fs'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import { operator, session, user } from './fixtures.js'

const storage = await openSqliteStorage({ file: process.argv[2] ?? '' })
writeSync(1, 'open\n')
for (;;) {
  const next = user()
  const outcome = await storage.users.insertFirst(next)
  if (outcome === 'not-first') await storage.users.insert(next, operator)
  await storage.sessions.insert(session(next, { id: next.uuid }), { keep: 1, passwordHash: next.passwordHash })
  writeSync(1, `${next.uuid}\n`)
}
