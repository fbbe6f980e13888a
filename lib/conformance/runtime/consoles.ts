/** The cases of `consoles`: lines come to whoever follows, in order, until the abort. */
import { same } from '../suite.js'
import { show, type Stage, type RuntimeCases } from './stage.js'

/** The contract of `Consoles`, whatever is printed. */
export const consoles: RuntimeCases = async add => {
  await add('consoles.follow answers false for a name that does not exist', async stage => {
    const { follower } = following(stage, 'no-such-service-1')
    same(await stage.settled(follower, 'consoles.follow'), false, 'consoles.follow must answer false')
  })

  await add('consoles.follow answers true for a service that is listed', async stage => {
    const { follower, stop } = following(stage, (await stage.online()).name)
    same(await stage.settled(follower, 'consoles.follow'), true, 'consoles.follow must answer true')
    stop()
  })
}

/** The contract of `Consoles`, where the author can have a service print. */
export const printing: RuntimeCases = async add => {
  const print = async (stage: Stage, name: string, line: string): Promise<void> => { await stage.subject.print?.(name, line) }

  await add('consoles.follow gives the last lines and then every new one, without a gap or a repeat', async stage => {
    const { name } = await stage.online()
    for (const line of ['one', 'two']) await print(stage, name, line)
    const { lines, follower, stop } = following(stage, name)
    await print(stage, name, 'three')
    await stage.settled(follower, 'consoles.follow')
    await print(stage, name, 'four  ünïcödé ')
    await stage.until('what print() printed is told', () => lines.some(line => line.startsWith('four')), () => show(lines))
    same(lines.slice(-4), ['one', 'two', 'three', 'four  ünïcödé '], 'every line that print() printed must be told, exactly and in order')
    same(lines.filter(line => line === 'three'), ['three'], 'what is printed while the following begins must be told once')
    stop()
  })

  await add('consoles.follow gives no more of the past than asked for', async stage => {
    const { name } = await stage.online()
    for (const line of ['a first line', 'a second line']) await print(stage, name, line)
    const whole = following(stage, name)
    await stage.until('what print() printed is told', () => whole.lines.at(-1) === 'a second line', () => show(whole.lines))
    whole.stop()
    const { lines, stop } = following(stage, name, 16)
    await stage.until('the last line is told', () => lines.length > 0, () => show(lines))
    same(lines, ['a second line'], 'of the past no more than 16 bytes may be told')
    stop()
  })

  await add('consoles.follow tells nothing after the abort', async stage => {
    const { name } = await stage.online()
    const [left, stays] = [following(stage, name), following(stage, name)]
    await stage.settled(Promise.all([left.follower, stays.follower]), 'consoles.follow')
    left.stop()
    const before = left.lines.length
    await print(stage, name, 'later')
    await stage.until('who still follows is told', () => stays.lines.includes('later'), () => show(stays.lines))
    same(left.lines.slice(before), [], 'nothing may be told after the abort')
    stays.stop()
  })
}

function following (stage: Stage, name: string, bytes = 65_536) {
  const lines: string[] = []
  const follow = new AbortController()
  const follower = stage.runtime.consoles?.follow(name, more => { lines.push(...more) }, { signal: follow.signal, bytes })
  return { lines, follower, stop: () => { follow.abort() } }
}
