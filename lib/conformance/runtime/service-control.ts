import assert from 'node:assert/strict'
import type { RuntimeCases } from '../runtime.js'
import { same } from '../suite.js'

/** The contract of the verbs on services that are there. */
export const serviceControl: RuntimeCases = async add => {
  await add('services.command answers true for a service that is ONLINE', async stage => {
    const { name } = await stage.online()
    assert.equal(await stage.settled(stage.control.command(name, 'list', stage.options)), true)
  })

  await add('services.command answers not-running for a stopped service', async stage => {
    const { name } = await stage.stopped()
    assert.equal(await stage.settled(stage.control.command(name, 'list', stage.options)), 'not-running')
  })

  await add('services.stop stops a service, which stays listed as OFFLINE', async stage => {
    const { name } = await stage.online()
    assert.equal(await stage.settled(stage.control.stop(name, stage.options)), true)
    await stage.becomes(name, 'OFFLINE')
    for (let looks = 0; looks < 5; looks++) {
      await stage.pause()
      assert.equal((await stage.find(name))?.state, 'OFFLINE')
    }
  })

  await add('services.restart brings the service back under the same name, with the same port and createdAt', async stage => {
    const { name, port, createdAt } = await stage.online()
    assert.equal(await stage.settled(stage.control.restart(name, stage.options)), true)
    // It may need a moment to begin.
    for (let looks = 0; looks < 5; looks++) await stage.pause()
    const back = await stage.becomes(name, 'ONLINE')
    same({ port: back.port, createdAt: back.createdAt }, { port, createdAt })
  })

  await add('services.restart restarts: the service leaves ONLINE, or the revision moves with the answer', async stage => {
    const { name } = await stage.online()
    const { revision } = stage.runtime.services
    await stage.settled(stage.control.restart(name, stage.options))
    const moved = stage.runtime.services.revision !== revision
    await stage.until(`${name} is restarted`, async () => moved || (await stage.find(name))?.state !== 'ONLINE')
  })

  await add('services.restart starts a service that is stopped', async stage => {
    const { name } = await stage.stopped()
    assert.equal(await stage.settled(stage.control.restart(name, stage.options)), true)
    await stage.becomes(name, 'ONLINE')
  })

  await add('services.restart: a second one joins the first', async stage => {
    const { name } = await stage.online()
    const answers = [stage.control.restart(name, stage.options), stage.control.restart(name, stage.options)]
    same(await stage.settled(Promise.all(answers)), [true, true])
    assert.equal(await stage.settled(stage.control.restart(name, stage.options)), true)
    await stage.becomes(name, 'ONLINE')
  })

  await add('services.start answers running for a service that is not stopped', async stage => {
    const { name } = await stage.online()
    assert.equal(await stage.settled(stage.control.start(name, stage.options)), 'running')
  })

  await add('services.start starts the stopped service of that name, and answers the name', async stage => {
    const { name, port } = await stage.stopped()
    same(await stage.settled(stage.control.start(name, stage.options)), { name })
    assert.equal((await stage.becomes(name, 'ONLINE')).port, port)
  })

  await add('services.command, restart, start and stop answer false for a name that does not exist', async stage => {
    const { control, options } = stage
    for (const name of ['no-such-service-1', '', '__proto__']) {
      assert.equal(await stage.settled(control.command(name, 'list', options)), false)
      assert.equal(await stage.settled(control.restart(name, options)), false)
      assert.equal(await stage.settled(control.start(name, options)), false)
      assert.equal(await stage.settled(control.stop(name, options)), false)
    }
  })

  await add('services.command, restart and stop compare names as they are', async stage => {
    const { name, state } = await stage.online()
    const { control, options } = stage
    const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()
    assert.equal(await stage.settled(control.command(other, 'list', options)), false)
    assert.equal(await stage.settled(control.restart(other, options)), false)
    assert.equal(await stage.settled(control.stop(other, options)), false)
    assert.equal((await stage.find(name))?.state, state)
  })
}
