/** The cases of listeners that come and go: while they are told, several times over, and of one signal. */
import assert from 'node:assert/strict'
import type { CloudStorage, StorageChange } from '../../../types/storage.js'
import { show, type Case } from '../suite.js'
import { waitFor } from '../waiting.js'
import { covers, ELSEWHERE_MS } from './listening.js'
import { operator, withRole } from './rows.js'
import { twice, type StorageUnderTest } from './under-test.js'

/** One subscription of a round, and what it has heard. */
interface Listener {
  readonly own: AbortController
  readonly heard: StorageChange[]
  /** What it was told after its own abort. */
  readonly late: StorageChange[]
}

const SEVERAL = 5

/** So soon a rejection is known of that nobody hears. */
const REJECTS_MS = 30

/** What a listener does the first time it is told something; it stands at `at` among the others. */
const manners: Readonly<Record<string, (all: readonly Listener[], at: number, storage: CloudStorage) => void>> = {
  'aborts itself': (all, at) => { all[at]!.own.abort() },
  'aborts itself and throws' (all, at) {
    all[at]!.own.abort()
    throw new Error('a listener\'s own mistake')
  },
  'aborts the one before and the one after it': (all, at) => { for (const next of [at - 1, at + 1]) all[next]?.own.abort() },
  'aborts all before it': (all, at) => { for (const { own } of all.slice(0, at)) own.abort() },
  'aborts all after it': (all, at) => { for (const { own } of all.slice(at + 1)) own.abort() },
  'aborts itself and all after it': (all, at) => { for (const { own } of all.slice(at)) own.abort() },
  'aborts all': all => { for (const { own } of all) own.abort() },
  'aborts itself and lets another one listen' (all, at, storage) {
    all[at]!.own.abort()
    storage.subscribe?.(() => {}, { signal: all[(at + 1) % SEVERAL]!.own.signal })
  }
}

/** Of three subscriptions of one function: those that end. */
const endings = [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]] as const

/** The contract of `subscribe` for several listeners. */
export async function listeners (add: Case<StorageUnderTest>): Promise<void> {
  for (const [what, act] of Object.entries(manners)) {
    await add(`a listener that ${what} while it is told leaves the others told, and nobody is told what changes after the own abort`, async subject => {
      const [storage, other] = await twice(subject)
      for (let at = 0; at < SEVERAL; at++) {
        // It is there before anybody listens: the first change that they hear of is the one that is made for them.
        const { id } = await withRole(storage, `Changed ${at}`)
        const all = listening(storage, at, all => { act(all, at, storage) })
        // The first change finds all of them, the second one those that are left; another process makes one of the two.
        for (const writer of at % 2 === 0 ? [storage, other] : [other, storage]) await hear(all, id, writer, writer !== storage, `where number ${at + 1} of ${SEVERAL} ${what}`)
        for (const { own } of all) own.abort()
      }
    })
  }

  for (const thrown of [undefined, null, 'a text', 0] as const) {
    await add(`a listener that throws ${show(thrown)} breaks neither the write nor the other listeners`, async ({ storage }) => {
      const { id } = await withRole(storage, 'Changed')
      const own = new AbortController()
      const heard: StorageChange[] = []
      // What is thrown may be anything.
      storage.subscribe?.(() => { throw thrown }, own)
      storage.subscribe?.(change => { heard.push(change) }, own)
      const changed = await storage.roles.find(id)
      assert.ok(changed !== undefined && typeof await storage.roles.update({ ...changed, hexColor: '#123456' }, operator) === 'object')
      assert.ok(heard.some(change => covers(change, { kind: 'role', id })), 'the other listener must be told')
      own.abort()
    })
  }

  await add('a listener that answers a promise which never settles keeps no write from answering, and no other listener from being told', async subject => {
    const [storage, other] = await twice(subject)
    const { id } = await withRole(storage, 'Changed')
    const own = new AbortController()
    const heard: StorageChange[] = []
    storage.subscribe?.(async () => await new Promise(() => {}), own)
    storage.subscribe?.(change => { heard.push(change) }, own)
    for (const writer of [storage, other]) {
      heard.length = 0
      let isAnswered = false
      const write = changeRole(writer, id).then(() => { isAnswered = true })
      await waitFor(() => isAnswered, ELSEWHERE_MS)
      assert.ok(isAnswered, 'roles.update has not answered: a listener has answered a promise that never settles')
      await write
      await waitFor(() => heard.some(change => covers(change, { kind: 'role', id })), ELSEWHERE_MS)
      assert.ok(heard.some(change => covers(change, { kind: 'role', id })), 'the other listener must be told of it')
    }
    own.abort()
  })

  await add('a listener that answers a promise which rejects breaks neither the write nor the process', async ({ storage }) => {
    const { id } = await withRole(storage, 'Changed')
    const own = new AbortController()
    const mistake = new Error('a listener\'s own mistake')
    const unheard: unknown[] = []
    const hears = (reason: unknown): void => { if (reason === mistake) unheard.push(reason) }
    process.on('unhandledRejection', hears)
    try {
      const heard: StorageChange[] = []
      storage.subscribe?.(async () => await Promise.reject(mistake), own)
      storage.subscribe?.(change => { heard.push(change) }, own)
      await changeRole(storage, id)
      await waitFor(() => unheard.length > 0, REJECTS_MS)
      assert.equal(unheard.length, 0, 'a promise that a listener has answered was rejected, and nobody heard of it: that ends a process')
      assert.ok(heard.some(change => covers(change, { kind: 'role', id })), 'the other listener must be told of it')
    } finally {
      process.off('unhandledRejection', hears)
      own.abort()
    }
  })

  await add('a function that listens more than once is told as long as one of its signals has not aborted, whichever abort first', async ({ storage }) => {
    const { id } = await withRole(storage, 'Changed')
    for (const ended of endings) {
      for (const order of [ended, ended.toReversed()]) {
        const heard: StorageChange[] = []
        const listener = (change: StorageChange): void => { heard.push(change) }
        const signals = [0, 1, 2].map(() => new AbortController())
        for (const { signal } of signals) storage.subscribe?.(listener, { signal })
        for (const n of order) signals[n]!.abort()
        await changeRole(storage, id)
        const isTold = heard.some(change => covers(change, { kind: 'role', id }))
        assert.equal(isTold, ended.length < signals.length, `of three subscriptions of one function the signals of ${order.join(' and ')} have aborted`)
        for (const own of signals) own.abort()
      }
    }
  })

  await add('subscribe tells nothing after the abort to whichever listener of one signal, and goes on for those of others', async ({ storage }) => {
    const { id } = await withRole(storage, 'Changed')
    const [one, other] = [new AbortController(), new AbortController()]
    const heard: string[] = []
    for (const [n, { signal }] of [one, other, one, other, one].entries()) storage.subscribe?.(() => { heard.push(`${n}`) }, { signal })
    one.abort()
    await changeRole(storage, id)
    assert.deepEqual([...new Set(heard)].sort(), ['1', '3'], 'those whose signal has not aborted must be told, and nobody else')
    other.abort()
  })
}

/** Several listeners of one storage; the one at `at` does something the first time it is told anything. */
function listening (storage: CloudStorage, at: number, act: (all: readonly Listener[]) => void): readonly Listener[] {
  const all = Array.from({ length: SEVERAL }, (): Listener => ({ own: new AbortController(), heard: [], late: [] }))
  for (const [n, { own: { signal }, heard, late }] of all.entries()) {
    storage.subscribe?.(change => {
      if (signal.aborted) late.push(change)
      heard.push(change)
      if (n === at && heard.length === 1) act(all)
    }, { signal })
  }
  return all
}

/**
 * Checks that a change is told to all whose signal has not aborted, and to none whose signal had before: of one that aborts
 * meanwhile the telling may be under way.
 */
async function hear (all: readonly Listener[], id: number, writer: CloudStorage, isElsewhere: boolean, where: string): Promise<void> {
  const from = all.map(({ heard }) => heard.length)
  const before = all.map(({ own, late }) => own.signal.aborted ? late.length : undefined)
  await changeRole(writer, id)
  const deaf = () => all.findIndex(({ own, heard }, n) => !own.signal.aborted && !heard.slice(from[n]).some(change => covers(change, { kind: 'role', id })))
  if (isElsewhere) await waitFor(() => deaf() === -1, ELSEWHERE_MS)
  assert.equal(deaf(), -1, `the listener of that index must be told of the change of role ${id}, ${where}`)
  for (const [n, { late }] of all.entries()) assert.equal(late.length, before[n] ?? late.length, `nothing may be told to a listener after the abort of its signal, ${where}, and told was ${show(late)}`)
}

async function changeRole ({ roles }: CloudStorage, id: number): Promise<void> {
  const role = await roles.find(id)
  assert.ok(role !== undefined && typeof await roles.update({ ...role, hexColor: `#${role.version}` }, operator) === 'object')
}
