/** Runtimes whose templates have files in memory, and that each have one mistake with these. */
import { setImmediate as turn } from 'node:timers/promises'
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import type { SimulatedRuntime } from '../../lib/runtime/simulated/index.js'
import type { Templates } from '../../types/runtime.js'
import type { TemplateFile } from '../../types/resources.js'
import type { NewTemplateFile, TemplateFiles } from '../../types/template-files.js'
import { begunAnew, broken, lower } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'

interface File {
  readonly bytes: Buffer
  readonly mode: string
  readonly modifiedAt: number
}
type Shelf = Map<string, File>

const flaws = [
  'a list has directories too', 'a list goes two names deep', 'a list has a path twice', 'a list changes what it has handed out', 'sizes are in characters', 'a mode has three digits', 'a mode is a number',
  'modifiedAt is in seconds', 'modifiedAt is of the epoch', 'a list answers nothing for what is no template', 'a template is found in another case', 'a file is found in another case', 'a file is found by how it begins',
  'paths are trimmed', 'paths are composed', 'paths are decoded', 'paths are cut', 'a hidden file is not listed', 'names that every object has are no files', 'a directory is a file that is read', 'a read answers nothing for what is no file',
  'a read is of what is there later', 'all are read of what is there later', 'a put asks nobody', 'a put does not wait for who is asked', 'a read ends after a piece', 'a read leaves the last byte out', 'a read tells another mode', 'texts are kept as UTF-8', 'ends of lines are changed', 'an empty file is none', 'a piece is the whole',
  'a put adds what comes before it throws', 'a put adds what comes before its content throws', 'a put that replaces empties first', 'a put goes on when it is aborted', 'a put that is aborted beforehand is done', 'a put answers before it is done', 'a put shows what it has so far',
  'a put forgets what came meanwhile', 'a put takes the earlier of two', 'a put counts a file twice', 'a put counts what it replaces as new', 'a put counts nothing', 'a put adds where it should replace', 'a put of nothing replaces nothing',
  'a put replaces always', 'a put gives 0644 to what it replaces', 'a put gives 0644 to all', 'a put gives 0600', 'a put forgets rights with replace', 'a put goes through a file', 'a put takes the place of a directory', 'a put overlooks case',
  'a put overlooks case in directories', 'a put compares with what it replaces', 'a put does not compare what it is given', 'a put refuses by the wrong name', 'a put says blocked for case', 'a put that is refused adds the others', 'a put reads the files first',
  'a put reads a content twice', 'a put makes a template', 'a put brings a template back', 'a put is for what has the name', 'a delete removes nothing', 'a delete removes directories', 'a delete removes all that begins so', 'a delete of nothing is done', 'a delete leaves directories',
  'a delete answers false for no file', 'a rename loses files', 'a rename loses rights', 'a deleted template keeps its files', 'all templates have the same files', 'a new start has no files', 'a new start has what was not answered', 'a new start knows no deletion', 'the templates of the system have no files',
  'a put of as many bytes leaves what is there', 'a put of nothing asks nobody', 'a put fails otherwise than who is asked', 'a delete changes the time of what is left', 'a rename takes templates that begin so', 'a delete takes templates that begin so',
  'a file is found by its name in capitals', 'a file is found by letters that look alike', 'a file is found whatever its accents', 'signs that nobody sees are left out of names', 'ß is ss', 'ſ is s', 'a put overlooks case beyond ASCII', 'a put takes accents for case', 'a put does not compare what comes while permit is waited for'
] as const
type Flaw = typeof flaws[number]

const SYSTEM = 'EVERY'

function templatesOf (runtime: SimulatedRuntime, flaw: Flaw | undefined): { readonly templates: Partial<Templates> & { readonly files: TemplateFiles }, restart (): void } {
  const is = (...some: readonly Flaw[]): boolean => flaw !== undefined && some.includes(flaw)
  const all = new Map<string, Shelf>()
  let kept = new Map<string, Shelf>()
  const handedOut: Array<{ path: string, size: number, mode: string, modifiedAt: number }> = []
  const { templates } = runtime
  const signal = new AbortController().signal
  const names = (): readonly string[] => (templates.list({ signal }) as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name)
  let [epoch, restarted] = [0, 0]

  const shelf = (template: string): Shelf | undefined => {
    const found = names().find(name => name === template || (is('a template is found in another case') && lower(name) === lower(template)))
    if (found === undefined && !(is('a put makes a template') && template === 'toString')) return undefined
    if (is('the templates of the system have no files') && template === SYSTEM) return undefined
    const key = is('all templates have the same files') ? '' : found ?? template
    const files = all.get(key) ?? new Map<string, File>()
    all.set(key, files)
    return files
  }
  const keep = (): void => {
    if (is('a new start has no files')) return
    const now = new Map([...all].map(([name, files]) => [name, new Map(files)]))
    if (is('a new start knows no deletion')) for (const [name, files] of kept) for (const [path, file] of files) if (now.get(name)?.has(path) === false) now.get(name)!.set(path, file)
    kept = now
  }
  const keyOf = (path: string): string => {
    if (is('paths are trimmed')) return path.trim()
    if (is('paths are composed')) return path.normalize('NFC')
    if (is('signs that nobody sees are left out of names')) return path.replaceAll(/\p{Cf}/gu, '')
    if (is('ß is ss')) return path.replaceAll('ß', 'ss')
    if (is('ſ is s')) return path.replaceAll('ſ', 's')
    if (is('paths are decoded')) return path.replaceAll('%2e', '.')
    return is('paths are cut') ? path.slice(0, 1_000) : path
  }
  const lookUp = (files: Shelf, path: string): string | undefined => [...files.keys()].find(one => one === keyOf(path) ||
    (is('a file is found in another case') && lower(one) === lower(path)) ||
    (is('a file is found by its name in capitals') && one.toUpperCase() === path.toUpperCase()) ||
    (is('a file is found by letters that look alike') && one.normalize('NFKC') === path.normalize('NFKC')) ||
    (is('a file is found whatever its accents') && one.localeCompare(path, 'en', { sensitivity: 'base' }) === 0) || (is('a file is found by how it begins') && one.startsWith(path)) ||
    (is('a directory is a file that is read') && one.startsWith(`${path}/`)))
  const tell = ({ bytes, mode, modifiedAt }: File) => ({
    size: is('sizes are in characters') ? bytes.toString().length : bytes.length,
    mode: is('a mode has three digits') ? mode.slice(1) : is('a mode is a number') ? Number.parseInt(mode, 8) as unknown as string : mode,
    modifiedAt: is('modifiedAt is in seconds') ? Math.round(modifiedAt / 1_000) : is('modifiedAt is of the epoch') ? 0 : modifiedAt
  })

  const isAlike = (one: string | undefined, other: string): boolean => {
    if (is('a put takes accents for case')) return one?.localeCompare(other, 'en', { sensitivity: 'base' }) === 0
    if (is('a put overlooks case beyond ASCII') && /[^\x20-\x7e]/u.test(other)) return false
    return one?.toLowerCase() === other.toLowerCase()
  }

  /** What refuses a path beside others. */
  function refusal (path: string, others: Iterable<string>): 'blocked' | 'case' | undefined {
    const parts = (one: string): string[] => one.split('/').map((_, n, names) => names.slice(0, n + 1).join('/'))
    for (const other of others) {
      if (other === path) continue
      if ((other.startsWith(`${path}/`) && !is('a put takes the place of a directory')) || (path.startsWith(`${other}/`) && !is('a put goes through a file'))) return 'blocked'
      const theirs = parts(other)
      const clash = parts(path).find((part, n) => theirs[n] !== part && isAlike(theirs[n], part) && (!is('a put overlooks case in directories') || part === path))
      if (clash !== undefined && !is('a put overlooks case')) return is('a put says blocked for case') ? 'blocked' : 'case'
    }
    return undefined
  }
  const leftBehind = new Set<string>()

  async function * gathered (files: AsyncIterable<NewTemplateFile>): AsyncGenerator<NewTemplateFile> {
    const first: NewTemplateFile[] = []
    for await (const file of files) first.push(file)
    yield * first
  }

  const files: TemplateFiles = {
    list (template) {
      const found = shelf(template)
      if (found === undefined) return is('a list answers nothing for what is no template') ? [] : false
      let items = [...found].map(([path, file]) => ({ path, ...tell(file) }))
      if (is('a list goes two names deep')) items = items.filter(({ path }) => path.split('/').length <= 2)
      if (is('a hidden file is not listed')) items = items.filter(({ path }) => !path.startsWith('.'))
      if (is('an empty file is none')) items = items.filter(({ size }) => size > 0)
      if (is('a list has directories too')) for (const { path } of items) if (path.includes('/')) return [...items, { ...items[0]!, path: path.split('/')[0]! }]
      if (is('a list has a path twice')) return items.length > 1 ? [...items, items[0]!] : items
      if (!is('a list changes what it has handed out')) return items
      handedOut.splice(0, handedOut.length, ...items)
      return handedOut
    },
    readAll (template) {
      const listed = files.list(template, { signal })
      if (listed === false) return false
      const found = new Map(shelf(template))
      return (async function * () {
        for (const { path, ...told } of listed as readonly TemplateFile[]) {
          const file = (is('all are read of what is there later') ? shelf(template) : found)?.get(path)
          if (file !== undefined) yield { path, ...told, content: (async function * () { yield file.bytes })() }
        }
      })()
    },
    read (template, path) {
      const found = shelf(template)
      if (found === undefined) return false
      const key = lookUp(found, path)
      const file = key === undefined || (is('names that every object has are no files') && key in {}) ? undefined : found.get(key)
      if (file === undefined) return is('a read answers nothing for what is no file') ? false : 'no-file'
      return {
        ...tell(file),
        ...is('a read tells another mode') && { mode: '0444' },
        content: (async function * () {
          const bytes = is('a read is of what is there later') ? found.get(path)?.bytes ?? Buffer.alloc(0) : file.bytes
          for (let at = 0; at < bytes.length; at += 1_000) {
            yield bytes.subarray(at, Math.min(at + 1_000, bytes.length - (is('a read leaves the last byte out') ? 1 : 0)))
            if (is('a read ends after a piece')) return
          }
        })()
      }
    },
    async put (template, given, { replace, signal, permit }) {
      const found = shelf(template)
      const began = restarted
      if (found === undefined) return false
      const shows = is('a put shows what it has so far') || is('a put adds what comes before it throws') || is('a put adds what comes before its content throws')
      const staged = new Map<string, { readonly bytes: Buffer, readonly mode: string | undefined }>()
      const before = new Map(found)
      let count = 0
      const isDeaf = is('a put goes on when it is aborted') || (is('a put that is aborted beforehand is done') && signal.aborted)
      if (is('a put that replaces empties first') && replace) found.clear()
      for await (const { path, mode, content } of is('a put reads the files first') ? gathered(given) : given) {
        if (!isDeaf) signal.throwIfAborted()
        const pieces: Uint8Array[] = []
        for await (const piece of content) {
          pieces.push(piece)
          if (is('a piece is the whole') && piece.length > 9) break
        }
        if (is('a put reads a content twice')) for await (const piece of content) pieces.push(piece)
        let bytes = Buffer.concat(pieces)
        if (is('texts are kept as UTF-8')) bytes = Buffer.from(bytes.toString())
        if (is('ends of lines are changed')) bytes = Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
        const why = is('a put does not compare what it is given') ? undefined : refusal(path, staged.keys())
        if (why !== undefined) return { refused: path, why }
        count++
        if (!is('a put takes the earlier of two') || !staged.has(path)) staged.set(keyOf(path), { bytes, mode })
        if (shows) found.set(path, { bytes, mode: mode ?? '0644', modifiedAt: Date.now() })
        if (is('a new start has what was not answered')) kept.get(template)?.set(path, { bytes, mode: mode ?? '0644', modifiedAt: Date.now() })
      }
      if (!isDeaf) signal.throwIfAborted()
      const known = [...found.keys()]
      if (is('a put does not wait for who is asked')) Promise.resolve(permit?.()).catch(() => {})
      else if (!is('a put asks nobody') && !(is('a put of nothing asks nobody') && staged.size === 0)) {
        await (async () => await permit?.())().catch((error: unknown) => { throw is('a put fails otherwise than who is asked') ? new Error('It may not be') : error })
      }
      if (began !== restarted) throw new Error('The core has ended')
      if (is('a put answers before it is done')) turn().then(turn).then(turn).then(() => { commit(found) }, () => {})
      const target = is('a put brings a template back') ? found : shelf(template)
      if (target === undefined || (target !== found && !is('a put is for what has the name'))) return false
      if (is('a put forgets what came meanwhile')) {
        target.clear()
        for (const [path, file] of before) target.set(path, file)
      }
      if (!replace || is('a put compares with what it replaces')) {
        for (const path of staged.keys()) {
          const why = refusal(path, is('a put does not compare what comes while permit is waited for') ? known : [...target.keys(), ...leftBehind])
          if (why === undefined) continue
          if (is('a put that is refused adds the others')) for (const [one, { bytes }] of staged) if (one !== path) target.set(one, { bytes, mode: '0644', modifiedAt: Date.now() })
          return { refused: is('a put refuses by the wrong name') ? [...staged.keys()][0]! : path, why }
        }
      }
      const replaced = [...staged.keys()].filter(path => (shows ? before : target).has(path)).length
      if (!is('a put answers before it is done')) commit(target)
      if (is('a put brings a template back') && !names().includes(template)) templates.create(template, { signal })
      if (is('a put counts nothing')) return { added: 0, replaced: 0 }
      if (is('a put counts what it replaces as new')) return { added: staged.size, replaced: 0 }
      return { added: (is('a put counts a file twice') ? count : staged.size) - replaced, replaced }

      function commit (target: Shelf): void {
        const old = new Map(target)
        if ((replace && !is('a put adds where it should replace') && !(is('a put of nothing replaces nothing') && staged.size === 0)) || is('a put replaces always')) target.clear()
        for (const [path, { bytes, mode }] of staged) {
          const before = is('a put gives 0644 to what it replaces') || (is('a put forgets rights with replace') && replace) ? undefined : old.get(path)?.mode
          const own = is('a put gives 0644 to all') ? '0644' : mode ?? before ?? (is('a put gives 0600') ? '0600' : '0644')
          target.set(path, { bytes: is('a put of as many bytes leaves what is there') && old.get(path)?.bytes.length === bytes.length ? old.get(path)!.bytes : bytes, mode: own, modifiedAt: Date.now() })
        }
        keep()
      }
    },
    delete (template, path) {
      const found = shelf(template)
      if (found === undefined) return false
      const key = lookUp(found, path)
      if (is('a delete removes directories', 'a delete removes all that begins so')) {
        const below = [...found.keys()].filter(one => one.startsWith(is('a delete removes directories') ? `${path}/` : path))
        for (const one of below) found.delete(one)
        if (below.length > 0) return true
      }
      if (is('a delete of nothing is done')) return key === undefined || found.delete(key)
      if (is('a delete removes nothing')) return key === undefined ? 'no-file' : true
      if (is('a delete leaves directories')) for (let above = path; above.includes('/');) leftBehind.add(`${above = above.slice(0, above.lastIndexOf('/'))}/.`)
      const isDeleted = key !== undefined && found.delete(key)
      if (is('a delete changes the time of what is left')) for (const [left, file] of found) found.set(left, { ...file, modifiedAt: Date.now() })
      keep()
      return isDeleted || (is('a delete answers false for no file') ? false : 'no-file')
    }
  }
  return {
    restart () {
      epoch++
      restarted = epoch
      all.clear()
      for (const [name, files] of kept) all.set(name, new Map(files))
    },
    templates: {
      async rename (name, newName, options) {
        const answer = await templates.rename(name, newName, options)
        if (answer !== true || name === newName || is('all templates have the same files')) return answer
        if (is('a rename takes templates that begin so')) for (const one of names()) if (one.startsWith(name) && one !== newName) await templates.rename(one, newName + one.slice(name.length), options)
        const files = all.get(name)
        all.delete(name)
        if (files !== undefined && !is('a rename loses files')) all.set(newName, is('a rename loses rights') ? new Map([...files].map(([path, file]) => [path, { ...file, mode: '0644' }])) : files)
        keep()
        return answer
      },
      async delete (name, options) {
        const answer = await templates.delete(name, options)
        if (answer === true && !is('a deleted template keeps its files')) all.delete(name)
        if (is('a delete takes templates that begin so')) for (const one of names()) if (one.startsWith(name)) await templates.delete(one, options)
        keep()
        return answer
      },
      files
    }
  }
}

function withFiles (flaw?: Flaw): Broken<RuntimeUnderTest> {
  let restart = (): void => {}
  let simulation: SimulatedRuntime | undefined
  const made = broken(flaw ?? 'none', runtime => {
    simulation = runtime
    runtime.templates.create(SYSTEM, { signal: new AbortController().signal })
    const { templates, restart: again } = templatesOf(runtime, flaw)
    restart = again
    return { templates }
  })
  return {
    flaw: made.flaw,
    make () {
      const subject = made.make()
      const again = restart
      const { clock } = simulation!
      return { ...subject, reopen: () => { again(); return begunAnew(subject.runtime, clock) } }
    }
  }
}

/** All of them. */
export const brokenFiles: ReadonlyArray<Broken<RuntimeUnderTest>> = flaws.map(withFiles)

/** The right one that they are made from. */
export const rightFiles = (): RuntimeUnderTest => withFiles().make()
