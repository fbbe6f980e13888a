/** What somebody sets when opening the Docker runtime, and an engine that is not there. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openDockerRuntime } from '../../../lib/runtime/docker/index.js'
import { settle, type DockerRuntimeOptions } from '../../../lib/runtime/docker/options.js'
import { leafOf, merged, walk } from '../../../lib/runtime/docker/tree.js'
import { scratchDirectory } from '../../fixtures/scratch.js'

t.test('a wrong option is refused with a sentence that names it', async t => {
  const wrong: ReadonlyArray<readonly [Record<string, unknown>, RegExp]> = [
    [{ directory: ' ' }, /^Option directory of the Docker runtime must be a path, not {2}$/],
    [{ engine: { host: 'docker.example' } }, /^Option engine .* \{ socketPath \} or \{ host, port \}/],
    [{ cloud: 'My cloud' }, /^Option cloud .* small letters, digits and dashes, at most 32, not My cloud$/],
    [{ host: '127.0.0.1' }, /^Option host .* an IP address that containers reach, not 127\.0\.0\.1$/],
    [{ network: '-x' }, /^Option network/],
    [{ swarm: { registry: 'https://registry.example' } }, /^Option swarm\.registry .* host:port, with a path if it has one/],
    [{ swarm: { registry: 'registry.example:5000', nodes: { m2: { host: 'm2' } } } }, /^Option swarm\.nodes\.m2 .* \{ socketPath \} or \{ host, port \}/],
    [{ swarm: { registry: 'registry.example', nodes: { m2: { host: 'm2', port: 2376, address: '127.0.0.1' } } } }, /^Option swarm\.nodes\.m2\.address/],
    [{ swarm: { registry: 'registry.example' }, host: '10.0.0.11' }, /^Option host .* left out with swarm/],
    [{ user: 0 }, /^Option user .* a number from 1 to 65534, not 0$/],
    [{ timing: { look: 0 } }, /^Option timing\.look/]
  ]
  for (const [option, message] of wrong) t.throws(() => settle({ directory: '.', ...option } as unknown as DockerRuntimeOptions), { code: 'CLOUD_ERR_OPTION', message })
})

t.test('an engine that is not there stops the start with what to do, and the directory is free again', async t => {
  const directory = scratchDirectory(t)
  for (let tries = 0; tries < 2; tries++) {
    await t.rejects(openDockerRuntime({ directory, engine: { socketPath: join(directory, 'none.sock') } }), {
      code: 'CLOUD_ERR_UNSUPPORTED_SYSTEM', message: /^Docker cannot be reached: .*: is it running, and may this user talk to it\?$/
    })
  }
})

t.test('of several templates each path is taken once, from the last; links that lead out are left out', async t => {
  const directory = scratchDirectory(t)
  const [one, other] = [join(directory, 'one'), join(directory, 'other')]
  for (const path of [join(one, 'a'), join(one, 'deep/er'), join(other, 'b')]) mkdirSync(path, { recursive: true })
  writeFileSync(join(one, 'b'), 'a file')
  writeFileSync(join(one, 'same'), 'one')
  writeFileSync(join(other, 'same'), 'other')
  writeFileSync(join(other, 'deep'), 'a file now')
  writeFileSync(join(other, 'b/c'), '')
  symlinkSync('same', join(one, 'inside'))
  symlinkSync('../other/same', join(one, 'outside'))
  symlinkSync('/etc/passwd', join(one, 'a/absolute'))
  const leftOut: string[] = []
  const note = (path: string): void => { leftOut.push(path.slice(directory.length)) }
  const leaves = merged([await walk(one, note), await walk(other, note)])
  t.strictSame(leaves.map(({ path, kind }) => `${path} ${kind}`).sort(), ['a directory', 'b directory', 'b/c file', 'deep file', 'inside link', 'same file'])
  t.ok(leaves.findIndex(({ path }) => path === 'b') < leaves.findIndex(({ path }) => path === 'b/c'))
  t.equal(leaves.find(({ path }) => path === 'same')?.from, join(other, 'same'))
  t.strictSame(leftOut.sort(), ['/one/a/absolute', '/one/outside'])
  // S18: what is downloaded is laid over whatever stands in its place, or in the way to it.
  const alone = merged([leaves, [await leafOf(join(one, 'b'), 'same/deep/jar'), await leafOf(join(one, 'b'), 'b')]])
  t.strictSame(alone.map(({ path, kind }) => `${path} ${kind}`).sort(), ['a directory', 'b file', 'deep file', 'inside link', 'same/deep/jar file'])
})
