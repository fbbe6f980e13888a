/** The cases of the list of platforms. */
import assert from 'node:assert/strict'
import type { Platform } from '../../../types/resources.js'
import { show } from '../suite.js'
import { once, type List } from './listed.js'
import * as shapes from './shapes.js'
import type { Stage, RuntimeCases } from './stage.js'

const list = async (stage: Stage) => await stage.settled(stage.runtime.platforms.list(stage.options), 'platforms.list')

/** The contract of the list of platforms. */
export const platforms: RuntimeCases = async add => {
  await add('platforms.list answers every platform whole', async stage => {
    shapes.every(await list(stage), shapes.platform, 'platforms')
  })

  await add('platforms.list names each platform, and each of its versions, once', async stage => {
    const platforms = await list(stage)
    once(platforms, ({ name }) => name)
    for (const { versions } of platforms) once(versions, ({ version }) => version)
  })

  await add('platforms.list has what groups can be made of', async stage => {
    const { platform } = stage.subject.group ?? {}
    if (platform === undefined) return
    const listed = await list(stage)
    const versions = listed.find(({ name }) => name === platform.name)?.versions
    assert.ok(versions?.some(({ version }) => version === platform.version),
      `the \`group\` of create() is of the platform ${show(platform)}, and platforms.list has ${show(listed)}`)
  })
}

/** What is alike for all lists, for that of the platforms. */
export const platformList: List<Platform> = {
  name: 'platforms',
  of: ({ platforms }) => platforms,
  // Nothing in the contract changes platforms; that they are the same all along is what can be seen.
  change: async stage => { await stage.pause() }
}
