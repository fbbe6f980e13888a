/**
 * Makes one file of tap for the tests, as `lib/bundle.js` does of libraries for the package. It is 280, and each of the test files, which are
 * processes, read them anew: that was more than a tenth of their processor time. They find it because it lies in a `node_modules` nearer to them.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const home = join(root, 'dist/test/node_modules/tap')
/** What lies in a package of this name tap leaves out of the stacks that it shows. */
const file = 'node_modules/@tapjs/bundle/index.js'

await build({
  entryPoints: [join(root, 'node_modules/tap/dist/esm/index.js')],
  outfile: join(home, file),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  // Some of it is CommonJS.
  banner: { js: "import { createRequire as requireOf } from 'node:module'\nconst require = requireOf(import.meta.url)" }
})
await mkdir(home, { recursive: true })
await writeFile(join(home, 'package.json'), `${JSON.stringify({ name: 'tap', type: 'module', main: `./${file}` })}\n`)
await writeFile(join(home, 'node_modules/@tapjs/bundle/package.json'), `${JSON.stringify({ name: '@tapjs/bundle', type: 'module' })}\n`)
