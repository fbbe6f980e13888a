/** Putting what was downloaded for a platform into a service's directory, over whatever stands in its place. */
import { constants, fchmod } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import type { PlanDownload } from '../../../types/engine.js'
import { inMadeParent, replace } from './service-files.js'

const chmod = promisify(fchmod)

/**
 * Copies each file, on every start: it may be another version now. A copy, and never a hard link: what a service writes into it
 * would be in everybody's. Where the file system can share the blocks of two files until one is written to, it does.
 */
export async function layDownloads (files: string, downloads: readonly PlanDownload[], signal: AbortSignal): Promise<void> {
  for (const { file, to } of downloads) {
    signal.throwIfAborted()
    await layOne(files, file, to)
  }
}

async function layOne (files: string, file: string, to: string): Promise<void> {
  await inMadeParent(files, to, async parent => {
    await replace(join(parent, basename(to)), 0o600, async copy => {
      await copyFile(file, `/proc/self/fd/${copy}`, constants.COPYFILE_FICLONE)
      await chmod(copy, 0o644)
    })
  })
}
