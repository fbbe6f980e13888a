/** The room on a disk that templates leave to others. */
import { statfs } from 'node:fs/promises'

/** What stays free of a disk: bytes, and a share of its places for files. Services need it, and so does the core. */
const KEPT_FREE = 1024 ** 3
const KEPT_SHARE = 0.05
/** It is looked at after so many bytes. */
const LOOK_AFTER = 16 * 1024 ** 2
/** What a file or a directory takes at least. */
export const BLOCK = 4096

/** Whether a disk is too full for so many bytes more, as far as it was looked at lately. */
export type Room = (bytes: number) => Promise<boolean>

export function createRoom (directory: string): Room {
  let since = Infinity
  return async bytes => {
    since += bytes
    if (since < LOOK_AFTER) return false
    since = 0
    const { bavail, bsize, blocks, files: places, ffree } = await statfs(directory)
    return bavail * bsize < Math.min(KEPT_FREE, blocks * bsize * KEPT_SHARE) || (places > 0 && ffree < places * KEPT_SHARE)
  }
}
