/** The cases of writes that carry who asked for them, and are refused when that is no longer allowed. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Asked, CloudStorage } from '../../../types/storage.js'
import { aim, asksWith, begin, beginWithKey, ends, keyEnds, withKey, writes } from './acting.js'
import { atOnce, show } from '../suite.js'
import { asks, operator, withSession, withUser } from './rows.js'
import { twice, type StorageCases, type StorageUnderTest } from './under-test.js'

/** Every write that somebody asks for is refused where that somebody is not who they say any more. */
export const actors: StorageCases = async add => {
  for (const write of writes) {
    await add(`${write.name} answers stale-actor, before anything else, for an actor who is not who they say`, async subject => {
      const [one, another] = await twice(subject)
      await withUser(one)
      const refuses = async (what: string, asked: Asked): Promise<void> => {
        const target = await aim(one)
        assert.equal(await write.run(one, target, asked), 'stale-actor', what)
        assert.equal(await write.isStored(one, target), false, `nothing is stored after: ${what}`)
        assert.equal(await write.runInVain(one, target, asked), 'stale-actor', `before another outcome: ${what}`)
      }
      for (const [what, end] of Object.entries(ends)) {
        const acting = await begin(one)
        await end(another, acting)
        await refuses(what, asks(acting.login, acting.role))
      }
      for (const [what, end] of Object.entries(keyEnds)) {
        const acting = await beginWithKey(one)
        await end(another, acting)
        await refuses(what, asksWith(acting.used, acting.role))
      }
      // What is one's own is nothing that anybody may write to without being who they were.
      for (const [what, end] of Object.entries(ends)) {
        const acting = await begin(one)
        const own = { ...await aim(one), user: acting.user, login: acting.login, key: await withKey(one, acting.user) }
        await end(another, acting)
        assert.equal(await write.run(one, own, asks(acting.login, acting.role)), 'stale-actor', `of what is the actor's own: ${what}`)
        if (what === 'the role is edited') assert.equal(await write.isStored(one, own), false, `nothing is stored of what is the actor's own after: ${what}`)
      }
      for (const [what, end] of Object.entries(keyEnds)) {
        const acting = await beginWithKey(one)
        const own = { ...await aim(one), user: acting.user, login: acting.login, key: acting.used }
        await end(another, acting)
        assert.equal(await write.run(one, own, asksWith(acting.used, acting.role)), 'stale-actor', `of what is the actor's own, with a key: ${what}`)
      }
      const { used, role: held } = await beginWithKey(one)
      await refuses('a key that there never was', asksWith({ ...used, id: randomUUID() }, held))
      await refuses('a version that there is not yet, with a key', asksWith(used, { ...held, version: held.version + 1 }))
      const { login, role } = await begin(one)
      const plain = await one.roles.find(0)
      assert.ok(plain !== undefined)
      await refuses('a session that there never was', asks({ ...login, id: randomUUID() }, role))
      await refuses('a session that no database holds', asks({ ...login, id: `${login.id}\0` }, role))
      await refuses('the role of somebody else', asks(login, plain))
      await refuses('a version that there is not yet', asks(login, { ...role, version: role.version + 1 }))

      // The roles that came with the system have versions too.
      for (const id of [-1, 0]) {
        const owner = await withUser(one, { roleId: id })
        const [own, then] = [await withSession(one, owner), await one.roles.find(id)]
        assert.ok(then !== undefined)
        assert.ok(typeof await another.roles.update({ ...then, hexColor: '#000' }, operator) === 'object')
        await refuses(`role ${id} is edited`, asks(own, then))
        await refuses(`role ${id} is edited, and asked with a key`, asksWith(await withKey(one, owner), then))
      }

      const edited = await another.roles.update({ ...role, permissions: [] }, operator)
      assert.ok(typeof edited === 'object')
      const target = await aim(one)
      const outcome = await write.run(one, target, asks(login, edited))
      assert.ok(outcome === 'done' || typeof outcome === 'object', `${show(outcome)}, for somebody who says how it is now`)
      assert.equal(await write.isStored(one, target), true, 'and it is stored')
    })
  }

  await add('no write with a key lands after the end of what its actor was, whatever it writes', async subject => {
    await landsBefore(subject, Object.entries(keyEnds).slice(0, 4), beginWithKey, ({ used, role }) => asksWith(used, role))
  })

  await add('no write lands after the end of what its actor was', async subject => {
    // Each twice: one time the write is asked for first, the other time the end.
    await landsBefore(subject, Object.entries(ends).slice(0, 4).flatMap(each => [each, each]), begin, ({ login, role }) => asks(login, role))
  })
}

type Ends<A> = ReadonlyArray<readonly [what: string, end: (storage: CloudStorage, acting: A) => Promise<unknown>]>

/** Runs every write at once with each end of its actor: it is there before that end, or never. */
async function landsBefore<A> (subject: StorageUnderTest, all: Ends<A>, start: (storage: CloudStorage) => Promise<A>, askedBy: (acting: A) => Asked): Promise<void> {
  const [one, another] = await twice(subject)
  await withUser(one)
  for (const write of writes) {
    for (const [round, [what, end]] of all.entries()) {
      const [acting, target] = [await start(one), await aim(one)]
      const [outcome, before] = await atOnce(round,
        () => write.run(one, target, askedBy(acting)),
        async () => {
          await end(another, acting)
          return await write.isStored(another, target)
        })
      const lands = outcome !== 'stale-actor'
      assert.ok(!lands || before, `${write.name} was not there when this was done, and is later: ${what}`)
      assert.equal(await write.isStored(one, target), lands)
    }
  }
}
