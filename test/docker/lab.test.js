/** The lab itself: an engine that is nobody else's, and an image in which the bundled platforms run. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { docker, here, skip } from './given.js'

test('the engine is the lab\'s own, and runs its image', { skip }, async () => {
  assert.equal(await docker('info', '--format', '{{.Name}}'), here.name)
  assert.equal(await docker('run', '--rm', here.image, 'node', '--print', '6 * 7'), '42')
  assert.equal(await docker('run', '--rm', here.image, 'sh', '-c', 'echo $((6 * 7))'), '42')
})
