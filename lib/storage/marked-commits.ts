/** The first user and the marker file are written together, or neither. */
import type { Database } from 'libsql'
import type { Marker } from './marker.js'
import type { AroundCommit } from './sqlite-driver.js'

/**
 * Keeps the marker in line with whether there are users, whatever changes that, and places one that is missing at the
 * start, which fails where that fails.
 *
 * The first user is committed before the marker is placed, and the last is deleted after it is removed. So a crash in
 * between leaves users without a marker, which the next start mends; the other way round it would leave a marker without
 * users, which no start accepts. Where something fails, whoever was just added is taken back, and nobody else.
 */
export function keepMarked (database: Database, marker: Marker): AroundCommit {
  const { id } = database.prepare('select id from cloud_instance').get() as { id: string }
  const anyUser = database.prepare('select exists (select 1 from cloud_users) as found')
  const isAnyUser = (): boolean => (anyUser.get() as { found: number }).found === 1

  const place = (): void => {
    marker.draft(id)
    marker.publish()
  }

  /** Whether there are users, as it is committed and as the marker says; undefined where a failure left that open. */
  let stored: boolean | undefined = isAnyUser()
  if (stored && marker.read() === undefined) place()

  /** Brings the marker in line after a failure. Where that fails too, the next commit tries again, or the next start. */
  function agree (): void {
    stored = undefined
    try {
      const found = isAnyUser()
      if (found) place()
      else marker.erase()
      stored = found
    } catch {}
  }

  function takeBack (uuids: readonly string[]): void {
    try {
      if (database.inTransaction) database.exec('rollback')
      for (const uuid of uuids) database.prepare('delete from cloud_users where uuid = ?').run(uuid)
    } catch {
      // They are stored then, although it was told otherwise; nothing else depends on it.
    }
  }

  return commit => {
    const found = isAnyUser()
    if (stored === undefined || found === stored) {
      commit()
      if (stored === undefined) agree()
      return
    }
    // There was nobody before this transaction: whoever there is now, it has added.
    const added = database.prepare('select uuid from cloud_users').all() as Array<{ uuid: string }>
    try {
      if (found) marker.draft(id)
      else marker.erase()
      commit()
      if (found) marker.publish()
      stored = found
    } catch (error) {
      takeBack(added.map(({ uuid }) => uuid))
      agree()
      throw error
    }
  }
}
