/** The cases of `services.control`: commands, restarts and stops, and what they answer. */
import assert from 'node:assert/strict'
import type { ServiceState } from '../../../types/resources.js'
import { same } from '../suite.js'
import type { RuntimeCases, Stage } from './stage.js'

/** The contract of the verbs on services that are there. */
export const serviceControl: RuntimeCases = async add => {
  await add('services.command answers true for a service that is ONLINE', async stage => {
    const { name } = await stage.online()
    for (const line of ['list', ' ', `say ${'ä'.repeat(2_045)}.`]) await stage.says(true, 'services.command', name, line)
  })

  await add('services.list: startedAt moves with a new life, and lastExit says how the last one ended', async stage => {
    const { name, startedAt } = await stage.online()
    const ends = async (reason: string): Promise<void> => {
      const exit = await stage.until(`${name} is OFFLINE or in its next life`, async () => {
        const now = await stage.find(name)
        return now !== undefined && now.state !== 'STOPPING' && (now.state !== 'ONLINE' || now.startedAt !== startedAt) && { now }
      }).then(({ now }) => now.lastExit)
      if (exit !== undefined) same(exit.reason, reason, `the lastExit of ${name}`)
    }
    await stage.pause()
    await stage.says(true, 'services.stop', name)
    await ends('stopped')
    await stage.becomes(name, 'OFFLINE')
    await stage.call('services.start', name)
    const again = await stage.becomes(name, 'ONLINE')
    if (startedAt !== undefined) assert.ok(again.startedAt !== undefined && again.startedAt > startedAt, `startedAt is when the present life of ${name} began: it was ${startedAt} in the last one, and is ${again.startedAt}`)
    if (stage.runtime.services.force === undefined) return
    await stage.call('services.kill', name)
    await stage.becomes(name, 'OFFLINE')
    await ends('killed')
  })

  await add('services.command answers not-running for a stopped service', async stage => {
    const { name } = await stage.stopped()
    await stage.says('not-running', 'services.command', name, 'list')
  })

  await add('services.stop stops a service, which stays listed as OFFLINE', async stage => {
    const { name } = await stage.online()
    await stage.says(true, 'services.stop', name)
    await stage.becomes(name, 'OFFLINE')
    await stays(stage, name, 'OFFLINE')
  })

  await add('services.restart brings the service back under the same name, with the same port and createdAt', async stage => {
    const { name, port, createdAt } = await stage.online()
    await stage.says(true, 'services.restart', name)
    // It may need a moment to begin.
    for (let looks = 0; looks < 5; looks++) await stage.pause()
    const back = await stage.becomes(name, 'ONLINE')
    same({ port: back.port, createdAt: back.createdAt }, { port, createdAt }, `${name} must keep its port and its createdAt over a restart`)
  })

  await add('services.list: the createdAt of a service stays as it was, whatever its state', async stage => {
    const { name, createdAt } = await stage.online()
    const through = async (verb: 'stop' | 'start' | 'restart', state: ServiceState): Promise<void> => {
      await stage.call(`services.${verb}`, name)
      await stage.until(`${name} is ${state} after services.${verb}`, async () => {
        const seen = await stage.find(name)
        if (seen !== undefined) same(seen.createdAt, createdAt, `${name} is ${seen.state} after services.${verb} and must keep its createdAt`)
        return seen?.state === state
      })
    }
    await through('stop', 'OFFLINE')
    await through('start', 'ONLINE')
    await through('restart', 'ONLINE')
  })

  await add('services.restart restarts: the service leaves ONLINE, or the revision moves with the answer', async stage => {
    const { name } = await stage.online()
    const { revision } = stage.runtime.services
    await stage.call('services.restart', name)
    const moved = stage.runtime.services.revision !== revision
    await stage.until(`a restart of ${name} can be seen: it is listed as something else than ONLINE, or services.revision ` +
      'has moved by the time services.restart answers', async () => moved || (await stage.find(name))?.state !== 'ONLINE',
    () => `${name} ONLINE all the time, services.revision ${revision === undefined ? 'absent' : `${revision} before and after`}`)
  })

  await add('services.restart starts a service that is stopped', async stage => {
    const { name } = await stage.stopped()
    await stage.says(true, 'services.restart', name)
    await stage.becomes(name, 'ONLINE')
  })

  await add('services.restart: a second one joins the first', async stage => {
    const { name } = await stage.online()
    const answers = [stage.control.restart(name, stage.options), stage.control.restart(name, stage.options)]
    same(await stage.settled(Promise.all(answers), 'services.restart, twice at once,'), [true, true], 'both must answer true')
    await stage.says(true, 'services.restart', name)
    await stage.becomes(name, 'ONLINE')
  })

  await add('services.stop takes back a restart that is under way', async stage => {
    const { name } = await stage.online()
    await stage.says(true, 'services.restart', name)
    await stage.says(true, 'services.stop', name)
    await stage.becomes(name, 'OFFLINE')
    await stays(stage, name, 'OFFLINE')
  })

  await add('services.start answers running for a service that is not stopped', async stage => {
    const { name } = await stage.online()
    await stage.says('running', 'services.start', name)
  })

  await add('services.start starts the stopped service of that name, and answers the name', async stage => {
    const { name, port } = await stage.stopped()
    same(await stage.call('services.start', name), { name }, 'services.start must answer the name')
    same((await stage.becomes(name, 'ONLINE')).port, port, `${name} must keep its port when it is started again`)
  })

  await add('services.command, restart, start and stop answer false for a name that does not exist', async stage => {
    for (const name of ['no-such-service-1', '', '__proto__']) {
      await stage.says(false, 'services.command', name, 'list')
      await stage.says(false, 'services.restart', name)
      await stage.says(false, 'services.start', name)
      await stage.says(false, 'services.stop', name)
    }
  })

  await add('services.command, restart and stop compare names as they are', async stage => {
    const { name, state } = await stage.online()
    const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()
    await stage.says(false, 'services.command', other, 'list')
    await stage.says(false, 'services.restart', other)
    await stage.says(false, 'services.stop', other)
    same((await stage.find(name))?.state, state, `${name} must stay as it was`)
  })
}

/** Sees for a while that a service stays as it is. */
async function stays (stage: Stage, name: string, state: ServiceState): Promise<void> {
  for (let looks = 0; looks < 5; looks++) {
    await stage.pause()
    const seen = await stage.find(name)
    assert.ok(seen?.state === state, `${name} must stay ${state}, and is ${seen?.state ?? 'not listed any more'}`)
  }
}
