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
  properties: {},
  templates: [],
  createdAt: Date.now()
}

await runtimeConformance({
  test,
  create () {
    const directory = mkdtempSync(join(tmpdir(), 'folder-runtime-'))
    return {
      runtime: folderRuntime(directory),
      group,
      remains: (name) => readdirSync(join(directory, 'services')).filter((file) => file.startsWith(`${name}-`)).length,
      close: () => rmSync(directory, { recursive: true })
    }
  }
})
