/** The pages of the documentation: that they are as generated, that links lead somewhere, and that what they name is there. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'
import * as errors from '../lib/errors.js'
import { repository } from './fixtures/repository.js'

t.setTimeout(600_000)

const skipped = /(?:^|\/)(?:node_modules|dist|coverage|\.[^/]*|cloud)(?:\/|$)/

/** Every Markdown file of the repository, by its path. */
async function readPages (): Promise<ReadonlyMap<string, string>> {
  const names: string[] = []
  async function collect (directory: string): Promise<void> {
    for (const entry of await readdir(join(repository, directory), { withFileTypes: true })) {
      const path = join(directory, entry.name)
      if (skipped.test(path)) continue
      if (entry.isDirectory()) await collect(path)
      else if (path.endsWith('.md')) names.push(path)
    }
  }
  await collect('.')
  return new Map(await Promise.all(names.sort().map(async path => [path, await readFile(join(repository, path), 'utf8')] as const)))
}

const pages = await readPages()
/** A page without its blocks of code, whose lines are no headings and no links. */
const proseOf = (text: string): string => text.replaceAll(/^ *```[^]*?^ *```$/gm, '')

/** The anchors that GitHub makes of the headings. */
function anchorsOf (text: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of proseOf(text).matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase().replaceAll(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-')
    let anchor = plain
    for (let again = 1; anchors.has(anchor); again++) anchor = `${plain}-${again}`
    anchors.add(anchor)
  }
  return anchors
}

t.test('every generated part is as generated', async t => {
  const child = spawn(process.execPath, [join(repository, 'docs/generate/index.js'), '--check'], { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'] } })
  let output = ''
  child.stdout.on('data', (text: Buffer) => { output += text.toString() })
  child.stderr.on('data', (text: Buffer) => { output += text.toString() })
  const [code] = await once(child, 'close') as [number | null]
  t.equal(code, 0, output)
})

t.test('every field of a table that has a column `meaning` says what it means', async t => {
  let count = 0
  for (const [page, text] of pages) {
    for (const [, head = '', rows = ''] of text.matchAll(/^\|(.*)\|\n\|[ |-]+\|\n((?:\|.*\|\n)+)/gm)) {
      const column = head.split('|').findIndex(name => name.trim() === 'meaning')
      if (column === -1) continue
      for (const row of rows.trimEnd().split('\n')) {
        count++
        const meaning = row.split(/(?<!\\)\|/)[column + 1]?.trim() ?? ''
        t.ok(/\w/.test(meaning), `${page}: ${row}`)
      }
    }
  }
  t.ok(count > 150, `${count} rows`)
})

t.test('every relative link leads to a file, and every anchor to a heading', async t => {
  let count = 0
  for (const [page, text] of pages) {
    for (const [, target = ''] of proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      count++
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : normalize(join(dirname(page), path))
      const isThere = existsSync(join(repository, file))
      if (!isThere || file.startsWith('..')) t.fail(`${page}: ${target} leads nowhere`)
      else if (anchor !== undefined && !anchorsOf(pages.get(file) ?? '').has(anchor)) t.fail(`${page}: ${target} has no such heading`)
    }
  }
  t.ok(count > 100, `${count} links`)
})

t.test('a link or an anchor that leads nowhere would be found', async t => {
  t.strictSame([...anchorsOf('# One\n\n## `GET` /user/{uuid}\n\n```sh\n# no heading\n```\n\n## One\n\n### See [there](x.md)')], ['one', 'get-useruuid', 'one-1', 'see-there'])
})

t.test('every file that a page names is there', async t => {
  for (const [page, text] of pages) {
    // The changes tell of what was.
    if (page === 'CHANGELOG.md') continue
    for (const [, path = ''] of proseOf(text).matchAll(/`((?:docs|examples|lib|scripts|test|types)\/[\w./-]+)`/g)) {
      // Compiled, it is another kind of file.
      t.ok(existsSync(join(repository, path)), `${page}: ${path}`)
    }
  }
})

t.test('what comments cite is there: a page, and a heading of it', async t => {
  let count = 0
  for (const room of ['lib', 'types', 'test', 'examples']) {
    for (const path of (await readdir(join(repository, room), { recursive: true })).filter(name => /\.[jt]s$/.test(name) && !skipped.test(name))) {
      const text = await readFile(join(repository, room, path), 'utf8')
      for (const [, page = '', heading] of text.matchAll(/\((docs\/[\w-]+\.md)(?:, ([A-Z][\w ]+))?\)/g)) {
        count++
        const isThere = pages.get(page)?.includes(heading === undefined ? '# ' : `# ${heading}\n`)
        if (isThere !== true) t.fail(`${room}/${path} cites ${page}, ${heading ?? 'the whole'}`)
      }
      if (/\((?:specification|contract|architecture)(?:, |\))/.test(text)) t.fail(`${room}/${path} cites what is not in the repository`)
    }
  }
  t.ok(count > 10, `${count} citations`)
})

t.test('every message of lib/errors.ts stands in docs/interface.md', async t => {
  const page = pages.get('docs/interface.md') ?? ''
  const messages = [...Object.values(errors).filter(one => one instanceof errors.Failure), errors.passwordTooShort(8)].map(({ message }) => message)
  t.ok(messages.length > 50)
  t.strictSame(messages.filter(message => !page.includes(`\`${message}\``)), [])
})

t.test('README.md has at most 10 KB', async t => {
  t.ok(Buffer.byteLength(pages.get('README.md') ?? '') <= 10_240)
})

t.test('every case that a test names stands in docs/abuse-cases.md, once', async t => {
  const { namedNumbers } = await import(join(repository, 'docs/generate/proofs.js')) as { namedNumbers (): readonly string[] }
  const rows = [...(pages.get('docs/abuse-cases.md') ?? '').matchAll(/^\| ([A-Z]?\d+) \|/gm)].map(([, number]) => number)
  t.strictSame(rows.filter((number, at) => rows.indexOf(number) !== at), [])
  t.ok(namedNumbers().length > 140)
  t.strictSame(namedNumbers().filter(number => !rows.includes(number)), [])
  t.strictSame(rows.filter(number => /^\d/.test(number ?? '')), Array.from({ length: 130 }, (_, at) => String(at + 1)))
})

t.test('every case of docs/abuse-cases.md has a test that carries its number', async t => {
  const rows = [...(pages.get('docs/abuse-cases.md') as string).matchAll(/^\| ([A-Z]?\d+) \|.*$/gm)]
  t.ok(rows.length > 150)
  t.strictSame(rows.filter(([row]) => !row.includes('](../test/')).map(([, number]) => number), [])
})

t.test('every variable of the standalone server stands on its page, with its default', async t => {
  const settings = await readFile(join(repository, 'examples/standalone/settings.js'), 'utf8')
  const variables = [...settings.matchAll(/^ {2}([A-Z_]+): \[(.*)\],?$/gm)]
  t.ok(variables.length > 10)
  const rows = (pages.get('docs/standalone.md') ?? '').split('\n').filter(line => line.startsWith('|'))
  for (const [, name = '', parts = ''] of variables) {
    const preset = /, '([^']*)'$/.exec(parts)?.[1] ?? 'none'
    t.ok(rows.some(row => row.includes(`\`${name}\``) && row.includes(preset)), `${name}, default ${preset}`)
  }
})
