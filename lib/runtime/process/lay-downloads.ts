/** Putting what was downloaded for a platform into a service's directory, over whatever stands in its place. */
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, copyFile, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { PlanDownload } from '../../../types/engine.js'
import { codeOf, removeTree } from '../fleet/index.js'
import { makeParent } from './service-files.js'

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
  const parent = await makeParent(files, to)
  const target = join(parent, basename(to))
  const temporary = join(parent, `.${randomBytes(6).toString('hex')}.tmp`)
  try {
    await copyFile(file, temporary, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
    await chmod(temporary, 0o644)
    // A rename replaces a link where opening it would follow it.
    await rename(temporary, target).catch(async error => {
      if (!['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error
      await removeTree(target)
      await rename(temporary, target)
    })
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}
