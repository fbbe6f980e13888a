/** What was dropped: files, and those of directories with their paths. */

export interface Dropped {
  readonly path: string
  readonly body: File
}

/** No template has more: somebody has dropped the wrong directory. */
const most = 10_000

/** @throws Error where a directory cannot be read, or has too many files */
export async function filesOf (data: DataTransfer): Promise<readonly Dropped[]> {
  // The list is empty as soon as we have waited for something.
  const entries = [...data.items].filter(({ kind }) => kind === 'file').map(item => item.webkitGetAsEntry() ?? item.getAsFile())
  const files: Dropped[] = []
  for (const entry of entries) {
    if (entry === null) continue
    if ('fullPath' in entry) await walk(entry, files)
    else files.push({ path: entry.name, body: entry })
  }
  return files
}

const tooMany = (): Error => new Error(`These are more than ${most} files: pack them into a tar.gz`)

/**
 * What was chosen by a button; of a folder, with its paths.
 * @throws Error where these are too many files
 */
export function chosenFiles (files: readonly File[]): readonly Dropped[] {
  if (files.length > most) throw tooMany()
  return files.map(body => ({ path: body.webkitRelativePath || body.name, body }))
}

async function walk (entry: FileSystemEntry, files: Dropped[]): Promise<void> {
  if (entry.isFile) {
    if (files.length >= most) throw tooMany()
    const body = await new Promise<File>((resolve, reject) => { (entry as FileSystemFileEntry).file(resolve, reject) })
    files.push({ path: entry.fullPath.replace(/^\//, ''), body })
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  // It hands out a hundred at a time.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => { reader.readEntries(resolve, reject) })
    if (some.length === 0) return
    for (const one of some) await walk(one, files)
  }
}

export const isArchive = (name: string): boolean => /\.(?:tar\.gz|tgz)$/i.test(name)
