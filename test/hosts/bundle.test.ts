/** Hosts that are bundled into one file, as for a container image. */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import t from 'tap'
import { hostProgram } from '../fixtures/host-program.js'
import { install, outside, run } from '../fixtures/package.js'
import { repository } from '../fixtures/repository.js'

t.setTimeout(600_000)

const { directory } = await install(t)
/** What is machine code cannot be in a bundle, and lies beside it. */
const native = 'libsql'
// Fastify and others are CommonJS, and ask for modules of Node by `require`.
const requireOfModules = "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url)"

for (const [name, mode, format, js] of [
  ['ES modules', 'module', 'esm', requireOfModules],
  ['CommonJS', 'common', 'cjs', '']
] as const) {
  t.test(`H6: a host that esbuild puts into one file runs without the package's own files, as ${name}`, async t => {
    const source = join(directory, mode === 'module' ? 'host.mjs' : 'host.cjs')
    await writeFile(source, hostProgram(mode))
    const elsewhere = await outside(t)
    const bundle = join(elsewhere, mode === 'module' ? 'bundle.mjs' : 'bundle.cjs')
    const { warnings } = await build({
      entryPoints: [source], outfile: bundle, bundle: true, platform: 'node', format, banner: { js }, external: [native, 'pg-native'], logLevel: 'silent'
    })
    t.strictSame(warnings.map(({ text, location }) => `${location?.file}: ${text}`), [])
    await mkdir(join(elsewhere, 'node_modules'))
    await symlink(join(repository, 'node_modules', native), join(elsewhere, 'node_modules', native))
    const ran = await run(process.execPath, [bundle], elsewhere)
    t.equal(ran.output, 'works\n')
  })
}
