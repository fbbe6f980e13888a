/** What the files of `examples/docker` promise, as they stand there; that they run is tried in the lab (`test/docker/core.test.js`). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { manifest } from '../fixtures/package.js'
import { repository } from '../fixtures/repository.js'

interface Service {
  readonly image: string
  readonly user: string
  readonly init?: boolean
  readonly read_only: boolean
  readonly cap_drop: readonly string[]
  readonly security_opt?: readonly string[]
  readonly privileged?: boolean
  readonly restart?: string
  readonly environment: Readonly<Record<string, string>>
  readonly volumes: ReadonlyArray<string | { readonly type: string }>
  readonly networks: readonly string[]
  readonly ports?: ReadonlyArray<string | { readonly mode: string }>
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly deploy?: { readonly replicas: number, readonly update_config: { readonly order: string }, readonly restart_policy: { readonly condition: string } }
}

interface File {
  readonly services: { readonly core: Service, readonly database: Service }
  readonly networks: { readonly services: { readonly attachable?: boolean }, readonly database: { readonly internal: boolean } }
  readonly volumes: Readonly<Record<string, unknown>>
}

const textOf = (name: string): string => readFileSync(join(repository, 'examples/docker', name), 'utf8')
const [compose, stack] = [parse(textOf('compose.yaml')) as File, parse(textOf('stack.yaml')) as File]
const isSocket = (volume: string | object): boolean => typeof volume === 'string' && volume.includes('docker.sock')

for (const [name, { services, networks, volumes }] of Object.entries({ compose, stack })) {
  t.test(`the ${name} file: neither is root or privileged, both keep what they have in volumes, and the socket is the core's only`, async t => {
    for (const [kind, service] of Object.entries(services)) {
      t.match(service.user, kind === 'core' ? /^1000:/ : /^postgres$/, kind)
      t.strictSame([service.privileged, service.read_only, service.cap_drop], [undefined, true, ['ALL']], kind)
      t.ok(service.volumes.some(volume => typeof volume === 'string' && Object.hasOwn(volumes, volume.split(':')[0] as string)), kind)
    }
    t.equal(services.core.volumes.filter(isSocket).length, 1)
    t.equal(services.database.volumes.filter(isSocket).length, 0)
    t.equal(services.core.init, true)
    t.strictSame([services.core.networks, services.database.networks, networks.database.internal], [['services', 'database'], ['database'], true])
    t.equal(services.database.ports, undefined)
    t.equal(services.database.healthcheck?.test[1], 'pg_isready')
    // Its own network: by that name the core finds it, and services are in it.
    t.equal(services.core.environment['DOCKER_NETWORK'], services.core.environment['DOCKER_CLOUD'])
  })
}

t.test('the compose file starts them again, the database first, and publishes the core to its machine only', async t => {
  const { core, database } = compose.services
  t.strictSame([core.restart, database.restart], ['unless-stopped', 'unless-stopped'])
  t.strictSame([core.security_opt, database.security_opt], [['no-new-privileges:true'], ['no-new-privileges:true']])
  t.strictSame(core.depends_on, { database: { condition: 'service_healthy' } })
  t.strictSame(core.ports, ['127.0.0.1:8080:8080'])
})

t.test('the stack file has one of each, never two at once, in a network that services may join', async t => {
  for (const { deploy } of Object.values(stack.services)) t.match(deploy, { replicas: 1, endpoint_mode: 'dnsrr', update_config: { order: 'stop-first' }, restart_policy: { condition: 'any' } })
  t.equal(stack.networks.services.attachable, true)
  t.match(stack.services.core.ports, [{ mode: 'host' }])
})

t.test('the Dockerfile installs what the package is tried with, and its program is a user of its own', async t => {
  const text = textOf('Dockerfile')
  for (const name of ['fastify', 'dockerode']) t.match(text, ` ${name}@${manifest.devDependencies[name]} `)
  t.match(text, /^USER 1000:1000$/m)
  t.match(text, /^HEALTHCHECK [^]*examples\/standalone\/health\.js/m)
  t.match(text, /^CMD \["node", /m)
  t.notMatch(text, /--mount|<<EOF/, 'without BuildKit as well')
})
