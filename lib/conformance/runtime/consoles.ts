/** The cases of `consoles`: lines come to whoever follows, in order, until the abort. */
import assert from 'node:assert/strict'
import { same, show } from '../suite.js'
import { startingAgain } from './furnished.js'
import type { Stage, RuntimeCases } from './stage.js'
import { watcherCases, type Source } from './watchers.js'

/** The contract of `Consoles`, whatever is printed. */
export const consoles: RuntimeCases = async add => {
  await add('consoles.follow answers false for a name that does not exist', async stage => {
    const { name } = await stage.online()
    for (const other of ['no-such-service-1', '', '__proto__', 'constructor', otherCase(name), `${name} `, ` ${name}`, name.slice(0, -1), `${name}0`, `${name}\0`, `${name}\u00ad`, (await stage.find(name))!.groupName]) {
      const { follower } = following(stage, other)
      same(await stage.settled(follower, 'consoles.follow'), false, `consoles.follow(${show(other)}) must answer false`)
    }
  })

  await add('consoles.follow answers true for a service that is listed, OFFLINE included', async stage => {
    const { name } = await stage.online()
    const follows = async (): Promise<void> => {
      const { follower, stop } = following(stage, name)
      same(await stage.settled(follower, 'consoles.follow'), true, 'consoles.follow must answer true')
      stop()
    }
    await follows()
    if (stage.runtime.services.control === undefined) return
    await stage.says(true, 'services.stop', name)
    await stage.becomes(name, 'OFFLINE')
    await follows()
  })
}

/** Lets a service print a line. */
export const print = async (stage: Stage, name: string, line: string): Promise<void> => { await stage.subject.print?.(name, line) }

const consoleSource: Source = {
  name: 'consoles.follow',
  async prepare (stage) {
    const { name } = await stage.online()
    let count = 0
    // The same function stays one, so that one which follows twice can be tried.
    const own = new Map<(event: unknown) => void, (lines: readonly string[]) => void>()
    return {
      listen (listener, options) {
        const follower = own.get(listener) ?? (lines => { for (const line of lines) if (line.startsWith('line ')) listener(line) })
        own.set(listener, follower)
        return stage.runtime.consoles?.follow(name, follower, { ...options, bytes: 0 })
      },
      async provoke () {
        const line = `line ${++count}`
        const { lines, stop } = following(stage, name)
        await print(stage, name, line)
        await stage.until(`${show(line)}, which was printed, is told`, () => lines.includes(line), () => show(lines))
        stop()
        await stage.pause()
      },
      begin: () => { Promise.resolve(print(stage, name, `line ${++count}`)).catch(() => {}) }
    }
  }
}

/** Lines that are easily changed on their way. */
const oddLines = ['\ufeffmarked', 'e\u0301 and \u00e9', '', ' ', '  leading and trailing  ', 'ünïcödé 🎮', 'a'.repeat(3_000), 'null', '0', '> prompt', '[12:00:00] [INFO]: as servers write', '\u001b[31mred\u001b[0m', '\ta\ttab\t', 'the same', 'the same', '', 'the last']

/** Longer than many a buffer. */
const longLines = ['b'.repeat(8_193), 'c'.repeat(16_001)]

/** The contract of `Consoles`, where the author can have a service print. */
export const printing: RuntimeCases = async add => {
  await watcherCases(add, consoleSource)

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

  await add('consoles.follow gives the last lines to everybody, whoever follows already or has followed before', async stage => {
    const { name } = await stage.online()
    for (const line of ['one', 'two']) await print(stage, name, line)
    await printed(stage, name, 'two')
    const all = [following(stage, name), following(stage, name)]
    for (const { follower, lines } of all) {
      await stage.settled(follower, 'consoles.follow')
      // They may come a moment after the answer.
      await stage.until('the last lines are told to each', () => lines.includes('two'), () => show(lines))
    }
    all[0]!.stop()
    all.push(following(stage, name))
    await stage.until('the last lines are told to whoever comes later', () => all[2]!.lines.includes('two'), () => show(all[2]!.lines))
    await print(stage, name, 'three')
    for (const [n, { lines, stop }] of all.entries()) {
      if (n > 0) await stage.until('what print() printed is told to each', () => lines.includes('three'), () => show(lines))
      same(lines.filter(line => ['one', 'two', 'three'].includes(line)), n === 0 ? ['one', 'two'] : ['one', 'two', 'three'], `every line must be told to follower ${n + 1}`)
      stop()
    }
  })

  await add('consoles.follow with a signal that is aborted already answers as ever, and gives no line, none of the last ones either', async stage => {
    const { name } = await stage.online()
    for (const line of ['one', 'two']) await print(stage, name, line)
    await printed(stage, name, 'two')
    const heard: string[] = []
    const options = { signal: AbortSignal.abort(), bytes: 65_536 }
    const follow = async (of: string) => await stage.settled(stage.runtime.consoles?.follow(of, lines => { heard.push(...lines) }, options), 'consoles.follow')
    same([await follow(name), await follow('no-such-service-1')], [true, false], 'consoles.follow with a signal that is aborted already')
    await print(stage, name, 'three')
    await printed(stage, name, 'three')
    for (let looks = 0; looks < 3; looks++) await stage.pause()
    same(heard, [], 'who follows a console with a signal that is aborted already may hear nothing, the last lines neither')
  })

  for (const when of ['before', 'while'] as const) {
    await add(`consoles.follow gives lines exactly as they were printed, blank and long ones included, printed ${when} it follows`, async stage => {
      const { name } = await stage.online()
      const early = when === 'while' ? following(stage, name) : undefined
      if (early !== undefined) await stage.settled(early.follower, 'consoles.follow')
      await print(stage, name, 'the first')
      const all: string[] = []
      for (const line of [...when === 'while' ? longLines : [], ...oddLines]) {
        // Not every author can have lines printed that are so long.
        const isPrinted = await print(stage, name, line).then(() => true, (error: unknown) => { if (!longLines.includes(line)) throw error })
        if (isPrinted === true) all.push(line)
      }
      if (early === undefined) await printed(stage, name, 'the last')
      const { lines, stop } = early ?? following(stage, name)
      await stage.until('the last line is told', () => lines.includes('the last'), () => show(lines))
      same(lines.slice(lines.indexOf('the first')), ['the first', ...all], 'every line must be told once, exactly and in order')
      stop()
    })
  }

  await add('consoles.follow gives many lines once and in order', async stage => {
    const { name } = await stage.online()
    const { lines, stop } = following(stage, name)
    const expected = Array.from({ length: 200 }, (_, n) => `line ${n}`)
    for (const line of expected) await print(stage, name, line)
    await stage.until('the last line is told', () => lines.includes('line 199'), () => show(lines.slice(-3)))
    same(lines.filter(line => /^line \d+$/.test(line)), expected, 'every line must be told once and in order')
    stop()
  })

  await add('consoles.follow gives every line to each of two who follow one service, in arrays that stay as they are', async stage => {
    const { name } = await stage.online()
    const ends = [new AbortController(), new AbortController()]
    const heard = await Promise.all(ends.map(async ({ signal }) => {
      const arrays: Array<{ readonly given: readonly string[], readonly then: readonly string[] }> = []
      await stage.settled(stage.runtime.consoles?.follow(name, given => { arrays.push({ given, then: [...given] }) }, { signal, bytes: 0 }), 'consoles.follow')
      return arrays
    }))
    for (const line of ['one', 'two', 'three']) {
      await print(stage, name, line)
      await stage.until(`${line} is told to both`, () => heard.every(arrays => arrays.some(({ then }) => then.includes(line))), () => show(heard))
    }
    for (const arrays of heard) {
      same(arrays.flatMap(({ then }) => then).filter(line => ['one', 'two', 'three'].includes(line)), ['one', 'two', 'three'], 'each must be told every line once and in order')
      for (const { given, then } of arrays) same(given, then, 'lines that were handed out may not be changed afterwards')
    }
    for (const end of ends) end.abort()
  })

  await add('consoles.follow gives no more of the past than asked for', async stage => {
    const { name } = await stage.online()
    for (const line of ['a first line', 'a second line']) await print(stage, name, line)
    await printed(stage, name, 'a second line')
    const { lines, stop } = following(stage, name, 16)
    await stage.until('the last line is told', () => lines.length > 0, () => show(lines))
    same(lines, ['a second line'], 'of the past no more than 16 bytes may be told')
    stop()
  })

  await add('consoles.follow counts the past in bytes of UTF-8, and none is none', async stage => {
    const { name } = await stage.online()
    const wide = ['ä', 'ö', 'ü', 'é', 'è'].map(letter => letter.repeat(8))
    for (const line of wide) await print(stage, name, line)
    await printed(stage, name, wide.at(-1)!)
    const [some, none] = [following(stage, name, 40), following(stage, name, 0)]
    await stage.settled(Promise.all([some.follower, none.follower]), 'consoles.follow')
    await stage.until('the last line is told', () => some.lines.length > 0, () => show(some.lines))
    for (let looks = 0; looks < 5; looks++) await stage.pause()
    assert.ok(some.lines.length <= 2, `each line has 16 bytes, so that 40 are two lines at most; told was ${show(some.lines)}`)
    same(some.lines, wide.slice(-some.lines.length), 'what is told of the past must be the last lines')
    same(none.lines, [], 'of the past no more than 0 bytes may be told')
    await print(stage, name, 'new')
    await stage.until('a new line is told', () => none.lines.length > 0, () => show(none.lines))
    same(none.lines, ['new'], 'who asked for nothing of the past must be told what is new')
    some.stop()
    none.stop()
  })

  await add('consoles.follow gives the lines of that service alone', async stage => {
    if (stage.runtime.groups.control === undefined) return
    const [one, other] = [await stage.online(), await stage.online()]
    // Where none can be started there may be a single one.
    if (one.name === other.name) return
    const [ofOne, ofOther] = [following(stage, one.name), following(stage, other.name)]
    await print(stage, one.name, 'of the one')
    await print(stage, other.name, 'of the other')
    await stage.until('each line is told', () => ofOne.lines.includes('of the one') && ofOther.lines.includes('of the other'), () => show([ofOne.lines, ofOther.lines]))
    for (let looks = 0; looks < 3; looks++) await stage.pause()
    assert.ok(!ofOne.lines.includes('of the other') && !ofOther.lines.includes('of the one'), `the lines of another service may not be told; told was ${show([ofOne.lines, ofOther.lines])}`)
    ofOne.stop()
    ofOther.stop()
  })

  for (const { over, needs, lead } of overs) {
    await add(`consoles.follow goes on over ${over}`, async stage => {
      const { services } = stage.runtime
      if (services.control === undefined || (needs === 'force' && services.force === undefined) || (needs === 'crash' && stage.subject.crash === undefined)) return
      const { name } = await stage.online()
      const isOffline = needs === 'offline'
      if (isOffline) {
        await print(stage, name, 'before the next life')
        await printed(stage, name, 'before the next life')
        await stage.says(true, 'services.stop', name)
        await stage.becomes(name, 'OFFLINE')
      }
      const { lines, follower, stop } = following(stage, name)
      same(await stage.settled(follower, 'consoles.follow'), true, 'consoles.follow must answer true')
      if (!isOffline) await print(stage, name, 'before the next life')
      await stage.until('a line is told', () => lines.includes('before the next life'), () => show(lines))
      const before = (await stage.find(name))!
      await lead(stage, name)
      await startingAgain(stage, before)
      for (const line of ['after the last life', 'and another after the last life']) {
        await stage.becomes(name, 'ONLINE')
        await print(stage, name, line)
        await stage.until('a line of the next life is told', () => lines.includes(line), () => show(lines))
      }
      same(lines.filter(line => line.endsWith('life')), ['before the next life', 'after the last life', 'and another after the last life'], 'each line must be told once')
      stop()
    })
  }
}

/** What a service may go through while somebody follows it. */
const overs: ReadonlyArray<{ readonly over: string, readonly needs?: 'force' | 'crash' | 'offline', lead (stage: Stage, name: string): Promise<unknown> }> = [
  { over: 'a stop and a start', lead: async (stage, name) => await again(stage, name, 'services.stop') },
  { over: 'a restart', lead: async (stage, name) => await stage.says(true, 'services.restart', name) },
  { over: 'a kill and a start', needs: 'force', lead: async (stage, name) => await again(stage, name, 'services.kill') },
  {
    over: 'a death',
    needs: 'crash',
    async lead (stage, name) {
      await stage.subject.crash?.(name)
      await stage.until(`the death of ${name} can be seen`, async () => {
        const now = await stage.find(name)
        return now?.state !== 'ONLINE' || now.lastExit !== undefined
      })
      // It may be started by nobody where its group has no minimum.
      await stage.says(true, 'services.restart', name)
    }
  },
  { over: 'the start of a service that is OFFLINE', needs: 'offline', lead: async (stage, name) => { await stage.call('services.start', name) } }
]

async function again (stage: Stage, name: string, verb: 'services.stop' | 'services.kill'): Promise<void> {
  await stage.says(true, verb, name)
  await stage.becomes(name, 'OFFLINE')
  await stage.call('services.start', name)
}

/** Waits until a line can be read by whoever comes. */
export async function printed (stage: Stage, name: string, line: string): Promise<void> {
  const { lines, stop } = following(stage, name)
  await stage.until(`${show(line)}, which was printed, is told`, () => lines.at(-1) === line, () => show(lines))
  stop()
}

const otherCase = (name: string): string => name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()

/** Follows a console, and keeps what is told. */
export function following (stage: Stage, name: string, bytes = 65_536) {
  const lines: string[] = []
  const follow = new AbortController()
  const follower = stage.runtime.consoles?.follow(name, more => { lines.push(...more) }, { signal: follow.signal, bytes })
  return { lines, follower, stop: () => { follow.abort() } }
}
