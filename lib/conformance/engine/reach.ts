/** The cases of what others than the service do with a life: its files, signals, its socket. An engine that cannot leaves them out. */
import assert from 'node:assert/strict'
import type { Files } from '../../../types/engine.js'
import { same, show } from '../suite.js'
import type { Has } from './lives.js'
import type { EngineCases } from './stage.js'

const OUTSIDE = ['../outside.txt', 'conformance/../../outside.txt', '/outside.txt']

export const reach = (has: Has): EngineCases => async add => {
  await add('files of a life: what is written is read, in the place of what was there', async stage => {
    const { life } = await stage.start(stage.plan('conformance-1', { files: { 'conformance.txt': 'planned' } }))
    const { files } = life
    if (files === undefined) return
    same(await stage.settled(files.read('conformance.txt'), 'files.read()'), 'planned', 'a text of the plan must be read as it is')
    // The third has a directory in its place, and the last needs one where a file is.
    for (const path of ['conformance.txt', 'conformance/deep/new.txt', 'conformance', 'conformance.txt/new.txt']) {
      for (const text of ['ünï\n'.repeat(20_000), '']) {
        await stage.settled(files.write(path, text), 'files.write()')
        assert.ok(await stage.settled(files.read(path), 'files.read()') === text, `${path} must be read as it was written`)
        if (has.read) assert.ok(await stage.subject.read!(life.name, path) === text, `${path} must be found by the service as it was written`)
      }
    }
    same(await stage.settled(files.read('conformance/none.txt'), 'files.read()'), undefined, 'a file that is not there is undefined')
  })

  await add('files of a life: nobody reads half of one', async stage => {
    const { life: { files } } = await stage.start()
    if (files === undefined) return
    const texts = ['a', 'b'].map(letter => letter.repeat(300_000))
    await stage.settled(files.write('conformance.txt', texts[0]!), 'files.write()')
    for (let round = 0; round < 5; round++) {
      const state = { over: false }
      const writing = (async () => { await files.write('conformance.txt', texts[(round + 1) % 2]!) })().finally(() => { state.over = true })
      const reading = (async () => {
        for (let looks = 0; looks === 0 || !state.over; looks++) {
          const text = await files.read('conformance.txt')
          assert.ok(texts.includes(text ?? ''), `what is read while it is written must be whole, and is ${show(text?.length)} characters of 300000`)
        }
      })()
      await stage.settled(Promise.all([reading, writing]), 'files.read() beside files.write()')
    }
  })

  await add('files of a life never lead out of its directory', async stage => {
    const { life: { files } } = await stage.start()
    if (files === undefined) return
    for (const path of OUTSIDE) {
      const wrote = await stage.settled(tried(async () => { await files.write(path, 'outside') }), 'files.write()')
      const read = await stage.settled(tried(async () => await files.read(path)), 'files.read()')
      assert.ok(wrote === 'refused' && (read === 'refused' || read === undefined), `${show(path)} leads out of the directory, and must be refused`)
    }
  })

  await add('start has files laid before the program begins, once, if it can', async stage => {
    let [calls, known] = [0, undefined as string | undefined]
    const plan = stage.plan('conformance-1', { files: { 'conformance.txt': 'planned' } })
    const { life } = await stage.start(plan, undefined, async (files: Files) => {
      calls++
      known = await files.read('conformance.txt')
      await files.write('conformance.txt', 'laid')
    })
    if (calls === 0) return
    same({ calls, known }, { calls: 1, known: 'planned' }, 'it must be called once, when the texts of the plan are there')
    if (has.read) same(await stage.subject.read!(life.name, 'conformance.txt'), 'laid', 'what is laid must be there when the program begins')
  })

  await add('start throws what goes wrong while files are laid, and leaves nothing', async stage => {
    const plan = stage.plan()
    let called = false
    const outcome = await stage.settled(tried(async () => {
      const { life } = await stage.start(plan, undefined, () => {
        called = true
        throw new Error('no space left')
      })
      return life.name
    }), 'start()')
    if (!called) return
    same(outcome, 'refused', 'start must throw what is thrown while files are laid')
    await stage.gone(plan.name)
    const { life } = await stage.start()
    same(life.end, undefined, 'the name is free again')
  })

  await add('signal reaches the program, and answers false when it has ended', async stage => {
    const watched = await stage.start()
    const { life } = watched
    if (life.signal === undefined) return
    same(await stage.settled(life.signal('SIGKILL'), 'signal()'), true, 'it runs, and is sent a signal')
    await stage.ended(watched)
    same(await stage.settled(life.signal('SIGTERM'), 'signal()'), false, 'it has ended')
  })

  await add('ask throws where nobody listens', async stage => {
    const { life } = await stage.start()
    if (life.ask === undefined) return
    same(await stage.settled(tried(async () => await life.ask!('conformance.sock', 'hello\n', 500)), 'ask()'), 'refused', 'nobody listens there')
  })
}

async function tried<T> (action: () => Promise<T>): Promise<T | 'refused'> {
  try {
    return await action()
  } catch {
    return 'refused'
  }
}
