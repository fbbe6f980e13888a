/** What is put into a template: made ready while somebody waits, and brought to the disk when others have had their turn already. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { TemplateStore, Upload } from '../../../lib/runtime/fleet/content/template-store.js'
import { openTemplates, type Templates } from '../../../lib/runtime/fleet/content/templates.js'
import { scratchDirectory } from '../../fixtures/scratch.js'
import type { NewTemplateFile } from '../../../types/template-files.js'

const { signal } = new AbortController()
const path = 'a/b/c/file.txt'

async function * some (count: number): AsyncGenerator<NewTemplateFile> {
  for (let at = 0; at < count; at++) yield { path: `d${at % 7}/${at}`, content: (async function * () { yield Buffer.from('x') })() }
}

t.test('S20: whoever waits for an archive to be made ready hears of each file that it has got on by, beside those that are there too', async t => {
  const templates = await openTemplates(scratchDirectory(t))
  await templates.make('map')
  const store = templates.files as TemplateStore
  const take = async (count: number): Promise<number> => {
    const upload = await store.stage('map', some(count), signal) as Upload
    let steps = 0
    t.equal(await upload.prepare(false, () => { steps++ }), undefined)
    t.match(await upload.commit(async () => {}), { added: Number })
    upload.clear()
    return steps
  }
  await take(300)
  t.ok(await take(2) >= 300, 'of what is laid below as well')
  await templates.close?.()
})

async function * one (): AsyncGenerator<NewTemplateFile> {
  yield { path, content: (async function * () { yield Buffer.from('x') })() }
}

const meanwhile: Record<string, { act: (templates: Templates) => unknown, left?: string }> = {
  renamed: { act: async templates => { await templates.rename('map', 'other') }, left: 'other' },
  'renamed, and made anew': {
    act: async templates => {
      await templates.rename('map', 'other')
      await templates.make('map')
    },
    left: 'other'
  },
  deleted: { act: async templates => { await templates.remove('map') } },
  'renamed, and the file deleted': {
    act: async templates => {
      await templates.rename('map', 'other')
      await templates.files?.remove('other', path)
    }
  }
}

for (const [what, { act, left }] of Object.entries(meanwhile)) {
  t.test(`S19: a file that was taken in is answered as such, also when its template is ${what} before it was brought to the disk`, async t => {
    const directory = scratchDirectory(t)
    const templates = await openTemplates(directory)
    await templates.make('map')
    const upload = await templates.files?.stage('map', one(), signal) as Upload
    t.equal(await upload.prepare(false, () => {}), undefined)
    t.strictSame(await upload.commit(async () => {}), { added: 1, replaced: 0 })
    await act(templates)
    await upload.keep()
    upload.clear()
    await templates.close?.()
    for (const name of ['map', 'other']) t.equal(existsSync(join(directory, name, path)), name === left, name)
  })
}
