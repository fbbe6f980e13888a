/** The room on a disk that templates leave to others. */
import { statfs } from 'node:fs/promises'
import { codeOf } from '../faults.js'

/** What stays free of a disk: bytes, and a share of its places for files. Services need it, and so does the core. */
const KEPT_FREE = 1024 ** 3
const KEPT_SHARE = 0.05
/** It is looked at after so many bytes, or places, at the latest: others write there as well. */
const LOOK_AFTER = { bytes: 16 * 1024 ** 2, places: 4096 }
/** What a file or a directory takes at least. */
export const BLOCK = 4096

/** Whether a disk is too full for so many bytes and files more. What it is not too full for is taken from what is left for all who ask. */
export type Room = (bytes: number, places?: number) => Promise<boolean>

/** For all who write to the disk of a directory. */
export function createRoom (directory: string): Room {
  let left = { bytes: 0, places: 0 }
  let looking: Promise<void> | undefined

  async function look (): Promise<void> {
    const { bavail, bsize, blocks, files, ffree } = await statfs(directory)
    const bytes = bavail * bsize - Math.min(KEPT_FREE, blocks * bsize * KEPT_SHARE)
    // Some count no places.
    const places = files > 0 ? ffree - files * KEPT_SHARE : Infinity
    left = { bytes: Math.min(LOOK_AFTER.bytes, bytes), places: Math.min(LOOK_AFTER.places, places) }
  }

  function take (bytes: number, places: number): boolean {
    if (left.bytes < bytes || left.places < places) return false
    left.bytes -= bytes
    left.places -= places
    return true
  }

  return async (bytes, places = 0) => {
    if (take(bytes, places)) return false
    await (looking ??= look().finally(() => { looking = undefined }))
    return !take(bytes, places)
  }
}

/** Whether a write has failed because nothing is left of a disk, or of what somebody may have of it. */
export const isOutOfRoom = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')
