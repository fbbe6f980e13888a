/** A template's files as directories. */
import type { TemplateFile } from '../../../../types/resources.js'

export interface Entry {
  readonly name: string
  /** From the template on. */
  readonly path: string
  /** The file; a directory has none, and is the sum of what is below it. */
  readonly file?: TemplateFile
  readonly files: number
  readonly size: number
  readonly modifiedAt: number
}

const collator = new Intl.Collator('en', { numeric: true })

/** What stands in a directory, those of its own first. */
export function entriesIn (files: readonly TemplateFile[], directory: string): readonly Entry[] {
  const start = directory === '' ? '' : `${directory}/`
  const entries = new Map<string, Entry>()
  for (const file of files) {
    if (!file.path.startsWith(start)) continue
    const [name = '', ...below] = file.path.slice(start.length).split('/')
    if (below.length === 0) entries.set(`file ${name}`, { name, path: file.path, file, files: 1, size: file.size, modifiedAt: file.modifiedAt })
    else {
      const known = entries.get(name)
      entries.set(name, {
        name, path: `${start}${name}`, files: (known?.files ?? 0) + 1, size: (known?.size ?? 0) + file.size, modifiedAt: Math.max(known?.modifiedAt ?? 0, file.modifiedAt)
      })
    }
  }
  return [...entries.values()].sort((one, other) => Number(one.file !== undefined) - Number(other.file !== undefined) || collator.compare(one.name, other.name))
}

/** Files whose path has those words, in order of their paths. */
export function entriesLike (files: readonly TemplateFile[], words: string): readonly Entry[] {
  const wanted = words.toLowerCase()
  return files.filter(({ path }) => path.toLowerCase().includes(wanted))
    .map(file => ({ name: file.path, path: file.path, file, files: 1, size: file.size, modifiedAt: file.modifiedAt }))
    // There may be a hundred thousand, at each key that is pressed: no collator.
    .sort((one, other) => one.path < other.path ? -1 : 1)
}
