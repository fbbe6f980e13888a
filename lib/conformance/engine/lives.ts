/** The cases of `start`, `watch`, `write`, `stop` and `discard`: what becomes of a life. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Manner } from '../../../types/engine.js'
import { same, show } from '../suite.js'
import * as shapes from './shapes.js'
import type { EngineCases, EngineStage } from './stage.js'

/** What the author gives beside the engine. */
export type Has = Readonly<Record<'print' | 'crash' | 'typed' | 'deafen' | 'stuck' | 'remains' | 'read' | 'write' | 'reopen', boolean>>

/** Looks that see whether something stays as it is. */
const STAYS = 5

export const starts = (has: Has): EngineCases => async add => {
  await add('start answers a life as it was planned, which runs', async stage => {
    const { life } = await stage.start()
    await stage.pause(STAYS)
    same(life.end, undefined, `${life.name} runs, and has no end`)
    assert.ok(typeof stage.engine.host === 'string' && stage.engine.host !== '', `the host of an engine must be an address, and is ${show(stage.engine.host)}`)
    const details = life.details?.()
    if (details !== undefined) assert.ok(typeof details === 'object' && details !== null, `details must be an object, and are ${show(details)}`)
    if (has.remains) assert.ok(await stage.subject.remains!(life.name) > 0, `remains(${show(life.name)}) must count what runs`)
  })

  await add('start keeps the note as it was, and none that is large is cut', async stage => {
    const note = { text: 'ü"\\\n'.repeat(700), own: [{}], n: 1.5 }
    const { life } = await stage.start(stage.plan('conformance-1', { note }))
    same(life.note, note, 'the note must be handed back as it was')
  })

  await add('start of several at once: each has a life of its own', async stage => {
    const [one, other, third] = await Promise.all(['conformance-1', 'conformance-2', 'conformance-10'].map(async name => await stage.start(stage.plan(name))))
    await stage.stop(one!)
    await stage.ended(one!)
    await stage.pause(STAYS)
    for (const { life, events } of [other!, third!]) {
      same(life.end, undefined, `${life.name} must run on when ${one!.life.name} is stopped`)
      assert.ok(!events.some(({ kind }) => kind === 'ended'), `${life.name} must not be told to have ended`)
    }
  })

  await add('start after the end gives another life, and the one before stays ended', async stage => {
    const first = await stage.start()
    await stage.stop(first)
    const end = await stage.ended(first)
    const second = await stage.start()
    await stage.pause(STAYS)
    same(second.life.end, undefined, 'the second life runs')
    same(first.life.end, end, 'the end of the first life must stay as it was')
    same(first.events.filter(({ kind }) => kind === 'ended').length, 1, 'the end of the first life must be told once')
  })

  for (const when of ['before', 'straight after'] as const) {
    await add(`start that is aborted ${when} the call leaves nothing, or answers the life`, async stage => {
      const giving = new AbortController()
      if (when === 'before') giving.abort()
      const plan = stage.plan()
      const starting = (async () => await stage.start(plan, giving))()
      starting.catch(() => {})
      giving.abort()
      const started = await stage.settled(starting.catch(() => undefined), 'start(), given up,')
      if (started === undefined) await stage.gone(plan.name)
      else await stage.stop(started)
      // The name is free again.
      const { life } = await stage.start()
      await stage.pause(STAYS)
      same(life.end, undefined, `${life.name} runs`)
    })
  }

  if (has.read) {
    await add('start lays the texts of the plan into the working directory, with what is known put in', async stage => {
      const plan = stage.plan('conformance-1', { files: { 'conformance/deep.txt': '${name} ${port} ${group}', 'conformance.txt': '' }, values: { ...stage.subject.plan.values, name: 'conformance-1', group: 'ours' } }) // eslint-disable-line no-template-curly-in-string -- the placeholders of platforms
      const { life } = await stage.start(plan)
      same(await stage.subject.read!(life.name, 'conformance/deep.txt'), `conformance-1 ${life.port} ours`, 'a text must lie where the plan says, with its placeholders filled in')
      same(await stage.subject.read!(life.name, 'conformance.txt'), '', 'an empty text must lie there too')
    })
  }

  if (has.read && has.write) {
    await add('start copies what was downloaded, over what is there, and what a service writes into its copy is in no other', async stage => {
      const directory = await mkdtemp(join(tmpdir(), 'conformance-'))
      try {
        const file = join(directory, 'sha256-of-it')
        await writeFile(file, 'downloaded')
        const downloads = [{ id: 'sha256-of-it', file, to: 'conformance/server.txt' }]
        const first = await stage.start(stage.plan('conformance-1', { keep: true, downloads }))
        same(await stage.subject.read!(first.life.name, 'conformance/server.txt'), 'downloaded', 'a download must lie where the plan says')
        await stage.subject.write!(first.life.name, 'conformance/server.txt', 'changed')
        same(await readFile(file, 'utf8'), 'downloaded', 'what a service writes into its copy must not be in what was downloaded')
        await stage.stop(first)
        await stage.ended(first)
        const { life } = await stage.start(stage.plan('conformance-1', { keep: true, downloads }))
        same(await stage.subject.read!(life.name, 'conformance/server.txt'), 'downloaded', 'each start must copy it anew, also where files are kept')
      } finally {
        await rm(directory, { recursive: true, force: true })
      }
    })

    for (const keep of [false, true]) {
      await add(`start of a plan that ${keep ? 'keeps finds what the life before has written' : 'does not keep begins with nothing of the life before'}`, async stage => {
        const first = await stage.start(stage.plan('conformance-1', { keep }))
        await stage.subject.write!(first.life.name, 'world.txt', 'written')
        await stage.stop(first)
        await stage.ended(first)
        const { life } = await stage.start(stage.plan('conformance-1', { keep }))
        same(await stage.subject.read!(life.name, 'world.txt'), keep ? 'written' : undefined, `with keep ${show(keep)} the next life must ${keep ? 'find' : 'not find'} what the one before has written`)
      })
    }
  }
}

export const ends = (has: Has): EngineCases => async add => {
  await add('watch tells that a life is ready, where the engine tells that at all, also to whoever watches it later', async stage => {
    const { life, events } = await stage.start()
    if (!events.some(({ kind }) => kind === 'ready')) return
    const heard: string[] = []
    life.watch(({ kind }) => { heard.push(kind) })
    await stage.pause(STAYS)
    assert.ok(heard.includes('ready'), 'a life that is ready must be told to be so to whoever watches it later')
  })

  await add('stop asks, and answers when nothing is left; its end is there and told', async stage => {
    const watched = await stage.start()
    const manner = await stage.stop(watched)
    await stage.gone(watched.life.name)
    shapes.end(await stage.ended(watched))
    same(manner, 'asked', 'a life that follows when it is asked must be stopped so')
  })

  await add('stop of a life that has ended answers again', async stage => {
    const watched = await stage.start()
    await stage.stop(watched)
    const end = await stage.ended(watched)
    await stage.stop(watched)
    same(watched.life.end, end, 'its end must stay as it was')
  })

  await add('stop, called twice at once, answers both when nothing is left', async stage => {
    const watched = await stage.start()
    await Promise.all([1, 2].map(async () => {
      await stage.stop(watched)
      await stage.gone(watched.life.name)
    }))
    await stage.ended(watched)
  })

  await add('stop without a word ends it as well', async stage => {
    const watched = await stage.start()
    const manner = await stage.stop(watched, { timeout: 0 })
    assert.ok(manner !== 'asked', 'who is not asked has not followed')
    await stage.ended(watched)
  })

  await add('stop with force ends it at once', async stage => {
    const watched = await stage.start()
    same(await stage.stop(watched, { ...stage.subject.plan.stop, timeout: 600_000, force: true }), 'killed', 'what is forced is killed')
    await stage.ended(watched)
  })

  if (has.deafen) {
    const deaf = async (stage: EngineStage) => {
      const watched = await stage.start()
      await stage.subject.deafen!(watched.life)
      await stage.pause(STAYS)
      return watched
    }
    await add('stop forces what does not follow, when its time is over', async stage => {
      const watched = await deaf(stage)
      same(await stage.stop(watched, { ...stage.subject.plan.stop, timeout: 100 }), 'killed' satisfies Manner, 'what follows nothing is killed')
      await stage.ended(watched)
    })
    await add('stop that is called again, more impatient, does not wait for the first', async stage => {
      const watched = await deaf(stage)
      const first = stage.stop(watched, { ...stage.subject.plan.stop, timeout: 600_000 })
      first.catch(() => {})
      await stage.pause()
      await stage.stop(watched, { timeout: 0, force: true })
      await stage.ended(watched)
      await stage.settled(first, 'the first stop()')
    })
  }

  if (has.stuck) {
    await add('stop throws where something cannot be ended, and can be called again', async stage => {
      const watched = await stage.start()
      const free = await stage.subject.stuck!(watched.life)
      await assert.rejects(async () => await stage.stop(watched, { ...stage.subject.plan.stop, timeout: 100 }), 'stop() must throw when something cannot be ended')
      same(watched.life.end, undefined, 'what could not be ended has no end')
      await free()
      await stage.stop(watched)
      await stage.ended(watched)
    })
  }

  if (has.crash) {
    await add('watch tells the end of a life that dies by itself, once, and its end is there by then', async stage => {
      const watched = await stage.start()
      await stage.subject.crash!(watched.life)
      shapes.end(await stage.ended(watched))
      await stage.pause(STAYS)
      same(watched.events.filter(({ kind }) => kind === 'ended').length, 1, 'the end must be told once')
    })

    await add('a life that has died does not read, and cannot be believed to be ready', async stage => {
      const { life, ...watched } = await stage.start()
      await stage.subject.crash!(life)
      await stage.ended({ life, ...watched })
      same(await stage.settled(life.write('list'), 'write()'), false, 'write() must answer false for a life that has ended')
      for (const sign of ['printed', 'answered'] as const) {
        if (life.confirm !== undefined) same(await stage.settled(life.confirm(sign), 'confirm()'), false, `confirm(${show(sign)}) must answer false for a life that has ended`)
      }
    })

    await add('release: nothing is told any more, and it runs on', async stage => {
      const watched = await stage.start()
      const { chunks } = stage.follow(watched.life)
      await stage.pause(STAYS)
      watched.life.release()
      if (has.remains) assert.ok(await stage.subject.remains!(watched.life.name) > 0, `${watched.life.name} must run on`)
      const [events, heard] = [watched.events.length, chunks.length]
      await stage.subject.print?.(watched.life, 'after the release')
      await stage.pause(STAYS)
      await stage.subject.crash!(watched.life)
      await stage.pause(STAYS)
      same(watched.events.slice(events), [], 'no event may be told after release()')
      same(chunks.slice(heard).map(({ bytes }) => Buffer.from(bytes).toString()), [], 'no chunk may be handed over after release()')
    })
  }

  await add('write answers true for a life that reads, and never waits', async stage => {
    const { life } = await stage.start()
    const lines = ['list', 'ünïcödé "quoted"', ' ', 'a'.repeat(4_095)]
    await stage.until('it reads', async () => await stage.settled(life.write(lines[0]!), 'write()') === true)
    for (const line of lines.slice(1)) same(await stage.settled(life.write(line), 'write()'), true, `write() of ${line.length} characters must answer true`)
    if (!has.typed) return
    const read = async () => await stage.subject.typed!(life)
    await stage.until('all lines are read', async () => (await read()).at(-1) === lines.at(-1), () => show([]))
    same((await read()).slice(-lines.length), lines, 'the lines must arrive whole and in order')
  })

  for (const keep of [false, true]) {
    await add(`discard with keep ${String(keep)} takes away what a service had, and the name is free again`, async stage => {
      same(await stage.settled(stage.engine.discard('never-started-1', { keep }), 'discard()'), undefined, 'of a service that never was there is nothing to keep')
      const first = await stage.start(stage.plan('conformance-1', { keep: true }))
      await stage.subject.write?.(first.life.name, 'world.txt', 'written')
      await stage.stop(first)
      await stage.ended(first)
      const place = await stage.settled(stage.engine.discard(first.life.name, { keep }), 'discard()')
      if (keep) assert.ok(place === undefined ? !has.write : typeof place === 'string' && place !== '', `discard() must answer where the files are now, and answered ${show(place)}`)
      else same(place ?? undefined, undefined, 'discard() without keep has nothing to answer')
      if (has.read) same(await stage.subject.read!(first.life.name, 'world.txt'), undefined, 'nothing may lie in the way of a later service of the same name')
      const { life } = await stage.start(stage.plan('conformance-1', { keep: true }))
      if (has.read) same(await stage.subject.read!(life.name, 'world.txt'), undefined, 'a later service of the name begins with nothing')
    })
  }

  await add('away is absent, or says since when and why, and can be watched', async stage => {
    const { away, watch } = stage.engine
    if (away === undefined) return
    assert.ok(typeof watch === 'function', 'watch is needed where away is')
    assert.ok(typeof away.since === 'number' && away.since > 1e11 && typeof away.why === 'string' && away.why !== '', `away must have since, in milliseconds, and why; it is ${show(away)}`)
  })
}
