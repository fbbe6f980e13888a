/** The cases of `templates`, and of templates that groups use. */
import assert from 'node:assert/strict'
import type { Template } from '../../../types/resources.js'
import { many, same, show, tally } from '../suite.js'
import { once, type List } from './listed.js'
import { Scene } from './scene.js'
import * as shapes from './shapes.js'
import type { RuntimeCases, Stage } from './stage.js'

const NAME = 'Conformance-1'
const OTHER = 'Conformance-2'
const THIRD = 'Conformance-3'

/** The contract of `Templates`. */
export const templates: RuntimeCases = async add => {
  await add('templates.list answers every template whole', async stage => {
    await made(stage, NAME)
    shapes.every(await stage.settled(stage.templates.list(stage.options)), shapes.template, 'templates')
  })

  await add('templates.list names each template once, ignoring case', async stage => {
    await made(stage, NAME)
    once(await names(stage), name => name.toLowerCase())
  })

  await add('templates.create adds a template', async stage => {
    const before = await names(stage)
    await stage.says(true, 'templates.create', NAME)
    same(new Set(await names(stage)), new Set([...before, NAME]))
  })

  await add('templates.create answers false for a name that is taken, ignoring case', async stage => {
    await made(stage, NAME)
    const before = await names(stage)
    for (const name of [NAME, NAME.toUpperCase(), NAME.toLowerCase()]) {
      await stage.says(false, 'templates.create', name)
    }
    same(await names(stage), before)
  })

  await add('templates.create of many at once exactly one gets true', async stage => {
    const answers = many(10, async () => await stage.templates.create(NAME, stage.options))
    same(tally(await stage.settled(answers, 'templates.create, ten at once,')), { true: 1, false: 9 }, 'of ten calls of templates.create at once exactly one answers true')
  })

  await add('templates.rename gives another name', async stage => {
    await made(stage, NAME)
    const before = await names(stage)
    await stage.says(true, 'templates.rename', NAME, OTHER)
    same(new Set(await names(stage)), new Set([...before.filter(name => name !== NAME), OTHER]))
  })

  await add('templates.rename gives the same name in another case', async stage => {
    await made(stage, NAME)
    await stage.says(true, 'templates.rename', NAME, NAME.toUpperCase())
    same((await names(stage)).filter(name => name.toLowerCase() === NAME.toLowerCase()), [NAME.toUpperCase()])
  })

  await add('templates.rename answers taken where another has the name, ignoring case', async stage => {
    await made(stage, NAME)
    await made(stage, OTHER)
    const before = await names(stage)
    for (const name of [OTHER, OTHER.toUpperCase()]) {
      await stage.says('taken', 'templates.rename', NAME, name)
    }
    same(await names(stage), before)
  })

  await add('templates.rename of two to one name at once: one gets it, and no template is lost', async stage => {
    await made(stage, NAME)
    await made(stage, OTHER)
    const before = await names(stage)
    const answers = await stage.settled(Promise.all([NAME, OTHER].map(async name => await stage.templates.rename(name, THIRD, stage.options))), 'templates.rename, two at once,')
    same([...answers].map(String).sort(), ['taken', 'true'], 'of two calls of templates.rename to one name at once one answers true, and the other taken')
    const now = await names(stage)
    same(now.length, before.length, `there were ${show(before)}, and now there are ${show(now)}`)
    assert.ok(now.includes(THIRD) && (now.includes(NAME) || now.includes(OTHER)), `one of ${NAME} and ${OTHER} has the name ${THIRD} now, and the other its own; there are ${show(now)}`)
  })

  await add('templates.rename and delete answer false for a name that does not exist, compared as it is', async stage => {
    await made(stage, NAME)
    for (const name of ['no-such-template', '__proto__', NAME.toUpperCase()]) {
      for (const newName of [OTHER, NAME, NAME.toLowerCase()]) await stage.says(false, 'templates.rename', name, newName)
      await stage.says(false, 'templates.delete', name)
    }
    assert.ok((await names(stage)).includes(NAME), `templates.list must still have ${NAME}`)
  })

  await add('templates.delete removes a template, and its name is free again', async stage => {
    const before = await names(stage)
    await made(stage, NAME)
    await stage.says(true, 'templates.delete', NAME)
    same(await names(stage), before)
    await made(stage, NAME)
  })
}

/** What is alike for all lists, for that of the templates. */
export const templateList: List<Template> = {
  name: 'templates',
  of: ({ templates }) => templates,
  async change (stage) {
    await made(stage, NAME)
    await stage.pause()
    await stage.call('templates.rename', NAME, OTHER)
    await stage.pause()
    await stage.call('templates.delete', OTHER)
  }
}

/** The contract of templates that groups use. */
export const templatesInUse: RuntimeCases = async add => {
  await add('templates.rename renames it in every group that uses it', async stage => {
    await made(stage, NAME)
    const { templates } = stage.group()
    const [first, last] = [await stage.withGroup({ templates: [NAME, ...templates] }), await stage.withGroup({ name: `${stage.group().name}-b`, templates: [...templates, NAME] })]
    await stage.says(true, 'templates.rename', NAME, OTHER)
    for (const [{ name }, expected] of [[first, [OTHER, ...templates]], [last, [...templates, OTHER]]] as const) {
      same((await stage.findGroup(name))?.templates, expected, `groups.list must have ${name} with the new name of its template`)
    }
  })

  await add('templates.rename renames it in every group that uses it, and no other whose name begins or ends alike', async stage => {
    const alike = [NAME, `${NAME}0`, `${NAME}-1`, `x${NAME}`]
    for (const name of alike) await made(stage, name)
    const groups = []
    for (const [n, templates] of [alike, alike.toReversed(), alike.slice(1)].entries()) groups.push(await stage.withGroup({ name: `${stage.group().name}-${n}`, templates }))
    await stage.says(true, 'templates.rename', NAME, OTHER)
    for (const { name, templates } of groups) {
      same((await stage.findGroup(name))?.templates, templates.map(one => one === NAME ? OTHER : one), `${NAME} is ${OTHER} now, in ${name} as well, and no other template is`)
    }
  })

  await add('templates.delete answers in-use while a group uses it', async stage => {
    await made(stage, NAME)
    await made(stage, OTHER)
    const { name } = await stage.withGroup({ templates: [OTHER, NAME] })
    for (const used of [NAME, OTHER]) await stage.says('in-use', 'templates.delete', used)
    assert.ok((await names(stage)).includes(NAME), `templates.list must still have ${NAME}`)
    await stage.call('groups.delete', name)
    await stage.says(true, 'templates.delete', NAME)
  })

  await add('templates.delete answers in-use for a template that was renamed as well, and true for one the name of which is a part of it', async stage => {
    const part = NAME.slice(0, -2)
    for (const name of [NAME, part]) await made(stage, name)
    await stage.withGroup({ templates: [NAME] })
    await stage.says(true, 'templates.delete', part)
    await stage.says(true, 'templates.rename', NAME, OTHER)
    await stage.says('in-use', 'templates.delete', OTHER)
    await made(stage, NAME)
    await stage.says(true, 'templates.delete', NAME)
    same((await names(stage)).filter(name => [NAME, OTHER, part].includes(name)), [OTHER], 'the template that is used is left, and no other')
  })

  await add('templates.delete answers in-use while a group is being deleted that uses it', async stage => {
    await made(stage, NAME)
    const { name } = await stage.withGroup({ templates: [NAME] })
    if (stage.runtime.services.control !== undefined) await stage.online()
    const scene = await Scene.of(stage)
    await scene.begin(name)
    // Where the deletion is over at once the group does not use it any more.
    if ((await stage.findGroup(name)) !== undefined) await scene.ask('templates.delete', NAME)
    await scene.settle()
    scene.end()
  })
}

async function made (stage: Stage, name: string): Promise<void> {
  await stage.says(true, 'templates.create', name)
}

async function names (stage: Stage): Promise<readonly string[]> {
  return (await stage.settled(stage.templates.list(stage.options))).map(({ name }) => name)
}
