/** `node --test`: says whether the runtime beside it keeps the contract. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runtimeConformance } from 'fastify-cloud/conformance'
import { folderRuntime } from './runtime.js'

const group = {
  name: 'lobby',
  minMemory: 128,
  maxMemory: 256,
  minOnlineService: 0,
  maxOnlineService: 2,
  platform: { name: 'folder', version: '1' },
  percentageToStartNewService: 0,
  properties: { fallback: true, n: 1 },
  templates: [],
  createdAt: Date.now()
}

await runtimeConformance({
  test,
  create () {
    const directory = mkdtempSync(join(tmpdir(), 'folder-runtime-'))
    // It keeps nothing outside of the folder, so a second one over it is what a new start finds.
    const reopen = () => folderRuntime(directory)
    return {
      runtime: folderRuntime(directory),
      group,
      reopen,
      remains: name => readdirSync(join(directory, 'services')).filter(file => file.startsWith(`${name}-`)).length,
      close: () => rmSync(directory, { recursive: true })
    }
  }
})
