/** Clients that others' generators make of the OpenAPI document: they compile in strict mode, and run. */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { openEvents } from '../fixtures/events.js'
import { makeKeyOf } from '../fixtures/keys.js'
import { repository } from '../fixtures/repository.js'
import { onlyFull } from '../fixtures/rounds.js'

t.setTimeout(300_000)

const run = promisify(execFile)
const file = join(repository, 'docs/openapi.json')

const compilerOptions = {
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: false,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  types: ['node'],
  rootDir: '.',
  outDir: 'out'
}

/** Compiles the program of a client and runs it against a cloud; answers what it prints. */
async function tryOut (t: Test, program: string, generate: (directory: string) => Promise<unknown>): Promise<unknown> {
  const { url, setUp } = await openEvents(t)
  const directory = join(t.testdir(), 'client')
  await mkdir(directory)
  await generate(directory)
  await writeFile(join(directory, 'package.json'), JSON.stringify({ type: 'module' }))
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'], exclude: ['out'] }))
  await writeFile(join(directory, 'program.ts'), program)
  const compiled = await run(process.execPath, [join(repository, 'node_modules/typescript/bin/tsc'), '-p', directory]).catch((error: { stdout: string, stderr: string }) => error)
  t.strictSame({ stdout: compiled.stdout, stderr: compiled.stderr }, { stdout: '', stderr: '' }, 'it compiles')
  const { key } = await makeKeyOf(await setUp(), [
    'cloud.service.list', 'cloud.service.count', 'cloud.group.list', 'cloud.group.get', 'cloud.group.edit', 'cloud.players.list', 'cloud.platform.list', 'cloud.system.version'
  ])
  const { stdout } = await run(process.execPath, [join(directory, 'out/program.js'), url.replace(/^ws/, 'http'), key])
  return JSON.parse(stdout)
}

const wanted = ['Healthy', 'lobby-1', 'lobby-1', 2, 'lobby', 'lobby', 300, 'group_not_found', 1, 'limbo', 'number']

t.test('openapi-typescript, with openapi-fetch', { skip: onlyFull('generators of others') }, async t => {
  t.strictSame(await tryOut(t, `
import createClient from 'openapi-fetch'
import type { components, paths } from './paths.js'

type Service = components['schemas']['Service']
const [, , baseUrl = '', key = ''] = process.argv
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } })
const first = (services: readonly Service[] | undefined): string | undefined => services?.[0]?.name
const health = await client.GET('/health/')
const services = await client.GET('/services/list')
const service = await client.GET('/service/{serviceName}', { params: { path: { serviceName: 'lobby-1' } } })
const count = await client.GET('/services/count', { params: { query: { from: 0 } } })
const groups = await client.GET('/group/list')
const group = await client.GET('/group/{name}', { params: { path: { name: 'lobby' } } })
const edited = await client.PATCH('/group/{name}', { params: { path: { name: 'lobby' } }, body: { minMemory: 300 } })
const missing = await client.GET('/group/{name}', { params: { path: { name: 'nobody' } } })
const players = await client.GET('/players/list', { params: { query: { page: 1, size: 5 } } })
const platforms = await client.GET('/platforms/list')
const code: 'group_not_found' | undefined = missing.error?.code === 'group_not_found' ? missing.error.code : undefined
console.log(JSON.stringify([
  health.data?.message, first(services.data?.data), service.data?.data.name, count.data?.data.serviceCount, groups.data?.[0]?.name, group.data?.name,
  edited.data?.data.minMemory, code, players.data?.page, platforms.data?.data[0]?.name, typeof (await client.GET('/system/version')).response.status
]))
`, directory => run(process.execPath, [join(repository, 'node_modules/openapi-typescript/bin/cli.js'), file, '-o', join(directory, 'paths.ts')])), wanted)
})

t.test('@hey-api/openapi-ts, with its own client', { skip: onlyFull('generators of others') }, async t => {
  const { createClient } = await import('@hey-api/openapi-ts')
  t.strictSame(await tryOut(t, `
import { client } from './client/client.gen.js'
import {
  countServices, editGroup, getGroup, getHealth, getService, getVersion, listGroups, listPlatforms, listPlayers, listServices
} from './client/sdk.gen.js'
import type { Service } from './client/types.gen.js'

const [, , baseUrl = '', key = ''] = process.argv
client.setConfig({ baseUrl, auth: key })
const first = (services: readonly Service[] | undefined): string | undefined => services?.[0]?.name
const health = await getHealth()
const services = await listServices()
const service = await getService({ path: { serviceName: 'lobby-1' } })
const count = await countServices({ query: { from: 0 } })
const groups = await listGroups()
const group = await getGroup({ path: { name: 'lobby' } })
const edited = await editGroup({ path: { name: 'lobby' }, body: { minMemory: 300 } })
const missing = await getGroup({ path: { name: 'nobody' } })
const players = await listPlayers({ query: { page: 1, size: 5 } })
const platforms = await listPlatforms()
const code: 'group_not_found' | undefined = missing.error?.code === 'group_not_found' ? missing.error.code : undefined
console.log(JSON.stringify([
  health.data?.message, first(services.data?.data), service.data?.data.name, count.data?.data.serviceCount, groups.data?.[0]?.name, group.data?.name,
  edited.data?.data.minMemory, code, players.data?.page, platforms.data?.data[0]?.name, typeof (await getVersion()).response?.status
]))
`, directory => createClient({
    input: file,
    output: { path: join(directory, 'client'), importFileExtension: '.js' },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    logs: { level: 'silent' }
  })), wanted)
})
