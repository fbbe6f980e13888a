/**
 * The last step of `npm run build`, after the compiler. It puts libraries into files of ours:
 *
 * - bcryptjs into the program of a password thread, which becomes a text. A file could not be found where a host is bundled
 *   into one, nor read by a thread where packages are kept in archives (Yarn PnP).
 * - The program of the process that looks at others, which becomes a text as well.
 * - TypeBox into one file. It is 249, and reading them took longer than everything else that an import of ours loads.
 * - So is Kysely, for the storages.
 * - Preact, uPlot and our own client into the scripts of the dashboard, which become texts as well.
 */
import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'

const source = path => fileURLToPath(new URL(path, import.meta.url))
const dist = path => source(`../dist/lib/${path}`)

/** The licence that a package asks to be handed on with its code. */
async function licenceOf (name, file) {
  const text = await readFile(new URL(`../node_modules/${name}/${file}`, import.meta.url), 'utf8')
  const { version } = JSON.parse(await readFile(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8'))
  return `/*\n${name} ${version}\n\n${text.trim().replaceAll('*/', '* /')}\n*/\n`
}

async function bundled (path, options) {
  const { outputFiles } = await build({
    entryPoints: [source(path)], bundle: true, write: false, platform: 'node', target: 'node20', legalComments: 'none', logLevel: 'warning', ...options
  })
  return outputFiles[0].text
}

/** Names stay, for whoever reads a stack. */
const short = { minifyWhitespace: true, minifySyntax: true }

await writeFile(dist('typebox.js'), await licenceOf('@sinclair/typebox', 'license') + await bundled('typebox.ts', { format: 'esm', ...short }))
await rm(dist('typebox.js.map'), { force: true })

await writeFile(dist('storage/kysely.js'), await licenceOf('kysely', 'LICENSE') + await bundled('storage/kysely.ts', { format: 'esm', ...short }))
await rm(dist('storage/kysely.js.map'), { force: true })

const worker = await bundled('accounts/password-worker.ts', { format: 'cjs', minify: true })
await writeFile(dist('accounts/password-worker-code.js'), `${await licenceOf('bcryptjs', 'LICENSE')}export const code = ${JSON.stringify(worker)}\n`)
for (const ending of ['js', 'js.map', 'd.ts']) await rm(dist(`accounts/password-worker.${ending}`), { force: true })

const procReader = await bundled('runtime/process/proc-reader-program.ts', { format: 'cjs', minify: true })
await writeFile(dist('runtime/process/proc-reader-code.js'), `export const code = ${JSON.stringify(procReader)}\n`)
for (const ending of ['js', 'js.map', 'd.ts']) await rm(dist(`runtime/process/proc-reader-program.${ending}`), { force: true })

const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml', woff2: 'font/woff2', txt: 'text/plain; charset=utf-8' }

/** What each permission opens, as the interface describes itself. */
async function permissionsOf () {
  const { paths } = JSON.parse(await readFile(source('../docs/openapi.json'), 'utf8'))
  const opened = {}
  const add = (name, summary) => { (opened[name] ??= []).push(summary) }
  for (const operations of Object.values(paths)) {
    for (const { summary, description = '' } of Object.values(operations)) {
      const [, name] = /Needs the permission `cloud\.([a-z.-]+)`/.exec(description) ?? []
      if (name !== undefined) add(name, summary)
    }
  }
  // Live channels are in no OpenAPI document (docs/interface.md, Live channels).
  const channels = /^\| GET \| \[`\/[^\]]*\]\([^)]*\) \| `cloud\.([a-z.-]+)` \| (.*) \|$/gm
  for (const [, name, summary] of (await readFile(source('../docs/interface.md'), 'utf8')).matchAll(channels)) {
    if (!opened[name]?.includes(summary)) add(name, summary)
  }
  return Object.entries(opened).sort(([one], [other]) => one < other ? -1 : 1)
}

async function bundleDashboard () {
  const app = source('dashboard/app')
  const { outputFiles, metafile } = await build({
    entryPoints: { main: `${app}/main.tsx`, worker: `${app}/events/worker.ts`, style: `${app}/style.css`, icon: `${app}/icon.svg` },
    bundle: true,
    write: false,
    splitting: true,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    loader: { '.svg': 'copy', '.woff2': 'file' },
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // That of Node.js; browsers have their own sockets.
    external: ['ws'],
    define: { permissionsOpened: JSON.stringify(await permissionsOf()) },
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    outdir: app,
    legalComments: 'none',
    logLevel: 'warning',
    tsconfig: `${app}/tsconfig.json`
  })
  const files = outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }))
  const used = [...new Set(Object.keys(metafile.inputs).map(path => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]).filter(Boolean))].sort()
  const texts = (await Promise.all(used.map(name => licenceOf(name, 'LICENSE')))).join('\n')
  const [[, main]] = Object.entries(metafile.outputs).filter(([path]) => /(?:^|\/)main-[^/]*$/.test(path))
  const needed = main.imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path))
  const named = start => files.find(({ name }) => name.startsWith(`${start}-`)).name
  const licencesName = `licences-${createHash('sha256').update(texts).digest('hex').slice(0, 8)}.txt`
  const assets = [...files, { name: licencesName, contents: texts }].map(({ name, contents }) => ({
    name, type: types[name.split('.').at(-1)], brotli: brotliCompressSync(contents).toString('base64')
  }))
  await writeFile(dist('dashboard/assets.js'), `${texts}
export const script = ${JSON.stringify(named('main'))}
export const needed = ${JSON.stringify(needed)}
export const worker = ${JSON.stringify(named('worker'))}
export const licences = ${JSON.stringify(licencesName)}
export const style = ${JSON.stringify(named('style'))}
export const icon = ${JSON.stringify(named('icon'))}
export const assets = [
${assets.map(asset => `  ${JSON.stringify(asset)}`).join(',\n')}
]
`)
}

await bundleDashboard()
