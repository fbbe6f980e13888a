/**
 * GET /players/list: the first page of a million players, and of a thousand; the runtime numbers its revisions. Both
 * clouds have been at work before the million comes: what V8 compiles while a process fills its heap stays slower for
 * good, whatever that process does, and that is not what this compares.
 */
import { cloud } from '../clouds.js'
import { figure } from '../figures.js'
import { ask, interleave, ratios } from '../load.js'
import { press } from '../pressure.js'

export default async function () {
  const few = await cloud({ players: 1_000, numbered: true })
  const many = await cloud({ players: 1_000, numbered: true })
  const of = (name, { contender, url, headers }) => ({ name, contender, url: `${url}/players/list?page=1&size=20`, headers })
  const contenders = [of('1,000 players', few), of('1,000,000 players', many)]
  for (const { url, headers } of contenders) await press(url, headers, { connections: 16, seconds: 2 })
  await many.contender.ask({ do: 'grow', players: 1_000_000 })
  for (const [index, { url, headers }] of contenders.entries()) {
    const page = JSON.parse((await ask(url, { headers })).body)
    if (page.total !== [1_000, 1_000_000][index] || page.data.length !== 20) throw new Error(`Not the page that was meant: ${JSON.stringify(page).slice(0, 200)}`)
  }
  const [small, large] = await interleave(contenders)
  await Promise.all(contenders.map(({ contender }) => contender.stop()))
  return [figure('players, page 1 of 1,000,000 against of 1,000', ratios(large, small), { atMost: 1.2 })]
}
