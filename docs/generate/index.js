/**
 * Renews the generated parts of the documentation: what stands between `<!-- generated: name -->` and
 * `<!-- /generated -->` in the pages. `npm run docs` writes, `node docs/generate/index.js --check` only compares and exits 1 where
 * something is not as generated. So are two whole files: the OpenAPI document, and the types of the client that are made of it. It reads the built package, so `npm run build` comes first.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clientFiles } from './client.js'
import { interfaceBlocks, readInterface } from './interface.js'
import { pages, root } from './pages.js'
import { fillProofs } from './proofs.js'
import { fillRooms, optionTable, resourceTables, variableTable } from './sources.js'

const block = /(<!-- generated: ([a-z-]+(?: [a-z-]+)?) -->\n)([\s\S]*?)(<!-- \/generated -->)/g

const described = await readInterface()

/** What makes the content of each block, from what stands there now. */
const makers = {
  ...interfaceBlocks(described),
  resources: resourceTables,
  options: optionTable,
  rooms: fillRooms,
  variables: variableTable,
  cases: fillProofs,
  faults: fillProofs
}

function renew (text, page) {
  return text.replace(block, (_whole, begin, name, present, end) => {
    const make = makers[name]
    if (make === undefined) throw new Error(`${page} asks for "${name}", which nothing generates`)
    return `${begin}\n${make(present.trim())}\n\n${end}`
  })
}

const isCheck = process.argv.includes('--check')
const stale = []
for (const page of await pages()) {
  const present = await readFile(join(root, page), 'utf8')
  const wanted = renew(present, page)
  if (wanted === present) continue
  stale.push(page)
  if (!isCheck) await writeFile(join(root, page), wanted)
}

for (const [file, wanted] of Object.entries(await clientFiles(described.document))) {
  const present = await readFile(join(root, file), 'utf8').catch(() => '')
  if (wanted === present) continue
  stale.push(file)
  if (!isCheck) await writeFile(join(root, file), wanted)
}

if (stale.length > 0) console.log(`${isCheck ? 'Not as generated (npm run docs renews it)' : 'Renewed'}: ${stale.join(', ')}`)
if (isCheck && stale.length > 0) process.exitCode = 1
