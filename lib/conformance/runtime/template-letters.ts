/** The cases of names of files whose letters are easily taken for others: by their case in another language, or by how they look. */
import { same, show } from '../suite.js'
import { filesOf, listed, made, name, put, texts } from './template-shelf.js'
import type { RuntimeCases, Stage } from './stage.js'

/** Each is another name than those beside it, by whatever rule somebody may hold them for the same. */
const letters: ReadonlyArray<readonly [own: string, ...others: string[]]> = [
  ['stra\u00dfe', 'strasse', 'STRASSE', 'stra\u1e9ee', 'strase', 'strabe'],
  ['\u017fo', 'so', 'SO', 'fo'],
  ['\u212aelvin', 'kelvin', 'Kelvin'],
  ['\u0131stanbul', 'istanbul', 'Istanbul', '\u0130stanbul', 'lstanbul'],
  ['\u0130x', 'ix', 'i\u0307x', 'Ix'],
  ['\ufb01n', 'fin', 'FIN'],
  ['\u212b', '\u00c5', '\u00e5', 'A\u030a', 'A'],
  ['\u03c3\u03c2', '\u03c3\u03c3', '\u03a3\u03a3'],
  ['\u01c5', '\u01c4', '\u01c6', 'D\u017e'],
  ['\uff11', '1', '\u2460', '\u0661'],
  ['\u0410', 'A', '\u0391'],
  ['a\u00adb', 'ab', 'a\u200db', 'a b', 'a-b'],
  ['caf\u00e9', 'cafe', 'cafe\u0301', 'caf\u00e8'],
  ['\u00f8', 'o', '\u00f6'],
  ['n10', 'n1', 'n010', 'n\u0661\u0660']
]

const isAlike = (one: string, other: string): boolean => {
  // Somebody may hold them for the same that differ in case in any language, or in how their letters are composed.
  const forms = (text: string): readonly string[] => ['NFC', 'NFD', 'NFKC', 'NFKD'].flatMap(form => {
    const written = text.normalize(form)
    return [written, written.toLowerCase(), written.toUpperCase(), written.toUpperCase().toLowerCase(), written.toLowerCase().toUpperCase()].flatMap(cased => [cased, cased.replaceAll('\u0307', '')])
  })
  const known = new Set(forms(one))
  return forms(other).some(form => known.has(form))
}

const read = async (stage: Stage, path: string) => await stage.settled(filesOf(stage).read(name, path, stage.options), 'templates.files.read')
const remove = async (stage: Stage, path: string) => await stage.settled(filesOf(stage).delete(name, path, stage.options), 'templates.files.delete')

/** The contract of `TemplateFiles`, for letters that are alike. */
export const templateLetters: RuntimeCases = async add => {
  await add('templates.files: list, read, put and delete look a path up exactly, whatever letters another language or case has for its own', async stage => {
    await made(stage)
    for (const [own, ...others] of letters) {
      for (const path of [own, `d/${own}/f`]) {
        same(await put(stage, { [path]: 'own' }), { added: 1, replaced: 0 }, `put of ${show(path)}, where nothing is there`)
        same((await listed(stage)).map(file => file.path), [path])
        for (const other of others.map(other => path.replace(own, other))) {
          same(await read(stage, other), 'no-file', `templates.files.read of ${show(other)}, where there is ${show(path)}`)
          same(await remove(stage, other), 'no-file', `templates.files.delete of ${show(other)}, where there is ${show(path)}`)
        }
        same(await texts(stage), { [path]: 'own' })
        same(await put(stage, { [path]: 'again' }), { added: 0, replaced: 1 }, `put of ${show(path)}, where it is there`)
        same(await remove(stage, path), true, `templates.files.delete of ${show(path)}, which is there`)
      }
    }
  })

  await add('templates.files.put refuses a name that differs from another in case only, and no other: what is alike otherwise is a file of its own', async stage => {
    await made(stage)
    for (const [own, ...others] of letters) {
      for (const other of others) {
        await put(stage, { [own]: 'own' }, { replace: true })
        const answer = await put(stage, { [other]: 'other' }) as { readonly added?: number, readonly replaced?: number, readonly refused?: string, readonly why?: string }
        const isRefused = isAlike(own, other) && answer.why === 'case'
        if (!isRefused) same(answer, { added: 1, replaced: 0 }, `put of ${show(other)} beside ${show(own)}, which is another file`)
        same(await texts(stage), isRefused ? { [own]: 'own' } : { [own]: 'own', [other]: 'other' }, `the files, where ${show(other)} was put beside ${show(own)}`)
      }
    }
    for (const [one, other] of [['\u00dcber', '\u00fcber'], ['\u0416', '\u0436'], ['\u03a9mega', '\u03c9mega']] as const) {
      await put(stage, { [one]: 'own' }, { replace: true })
      const answer = await put(stage, { [other]: 'other' })
      same(answer, { refused: other, why: 'case' }, `${show(other)} differs from ${show(one)} in case only`)
    }
  })
}
