/** `node --test`: says whether the engine beside it keeps the contract. A cloud on it is then tried as that of `examples/custom-runtime` is. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { engineConformance } from 'fastify-cloud/conformance'
import { childEngine } from './engine.js'

/** A program that prints what it is told to, and ends by the word `stop`. */
const program = `while IFS= read -r line; do
  case "$line" in 'print '*) printf '%s\\n' "\${line#print }";; crash) exit 9;; stop) exit 0;; esac
done`

/** What the fleet would ask for. Names, tokens, notes and ports are the suite's. */
const plan = {
  name: 'lobby-1',
  token: '0123456789abcdef',
  note: {},
  command: 'sh',
  args: ['-c', program],
  env: {},
  files: {},
  values: { name: 'lobby-1', group: 'lobby', version: 'latest', minMemory: '64', maxMemory: '128', maxPlayers: '20' },
  layers: [],
  platform: { name: 'shell', version: 'latest', directory: tmpdir() },
  keep: false,
  port: 25_565,
  memory: { min: 64, max: 128 },
  stop: { ask: { stdin: 'stop' }, timeout: 10_000 }
}

await engineConformance({
  test,
  create () {
    const directory = mkdtempSync(join(tmpdir(), 'child-engine-'))
    const engine = childEngine({ directory })
    return {
      engine,
      plan,
      print: async (life, line) => await life.write(`print ${line}`),
      crash: async life => await life.write('crash'),
      async close () {
        await engine.close()
        rmSync(directory, { recursive: true })
      }
    }
  }
})
