/** From the first import to a host that is ready: what every host pays for having us, before anybody asks for anything. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { figure } from '../figures.js'

const rounds = 9
const path = fileURLToPath(new URL('../contenders/first.js', import.meta.url))

async function costOf (kind) {
  const { stdout } = await promisify(execFile)(process.execPath, [path, kind])
  return Number(stdout)
}

export default async function () {
  const costs = []
  for (let round = 0; round < rounds; round++) costs.push({ bare: await costOf('bare'), ours: await costOf('ours') })
  return [figure('import to ready, against bare Fastify', costs.map(({ bare, ours }) => ours / bare), { atMost: 2 })]
}
