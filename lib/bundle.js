/**
 * The last step of `npm run build`, after the compiler. It puts two libraries into files of ours:
 *
 * - bcryptjs into the program of a password thread, which becomes a text. A file could not be found where a host is bundled
 *   into one, nor read by a thread where packages are kept in archives (Yarn PnP).
 * - TypeBox into one file. It is 249, and reading them took longer than everything else that an import of ours loads.
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const dist = path => fileURLToPath(new URL(`../dist/lib/${path}`, import.meta.url))

/** The licence that a package asks to be handed on with its code. */
async function licenceOf (name, file) {
  const text = await readFile(new URL(`../node_modules/${name}/${file}`, import.meta.url), 'utf8')
  const { version } = JSON.parse(await readFile(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8'))
  return `/*\n${name} ${version}\n\n${text.trim().replaceAll('*/', '* /')}\n*/\n`
}

async function bundled (path, options) {
  const { outputFiles } = await build({
    entryPoints: [dist(path)], bundle: true, write: false, platform: 'node', target: 'node20', legalComments: 'none', logLevel: 'warning', ...options
  })
  return outputFiles[0].text
}

await writeFile(dist('typebox.js'), await licenceOf('@sinclair/typebox', 'license') + await bundled('typebox.js', { format: 'esm' }))
await rm(dist('typebox.js.map'), { force: true })

const worker = await bundled('accounts/password-worker.js', { format: 'cjs', minify: true })
await writeFile(dist('accounts/password-worker-code.js'), `${await licenceOf('bcryptjs', 'LICENSE')}export const code = ${JSON.stringify(worker)}\n`)
for (const ending of ['js', 'js.map', 'd.ts']) await rm(dist(`accounts/password-worker.${ending}`), { force: true })
