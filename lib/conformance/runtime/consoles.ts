/** The cases of `consoles`: lines come to whoever follows, in order, until the abort. */
import assert from 'node:assert/strict'
import { same, show } from '../suite.js'
import type { Stage, RuntimeCases } from './stage.js'
import { watcherCases, type Source } from './watchers.js'

/** The contract of `Consoles`, whatever is printed. */
export const consoles: RuntimeCases = async add => {
  await add('consoles.follow answers false for a name that does not exist', async stage => {
    const { name } = await stage.online()
    for (const other of ['no-such-service-1', '', '__proto__', otherCase(name)]) {
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

const print = async (stage: Stage, name: string, line: string): Promise<void> => { await stage.subject.print?.(name, line) }

const consoleSource: Source = {
  name: 'consoles.follow',
  async prepare (stage) {
    const { name } = await stage.online()
    let count = 0
    return {
      listen: (listener, options) => stage.runtime.consoles?.follow(name, lines => {
        for (const line of lines) if (line.startsWith('line ')) listener(line)
      }, { ...options, bytes: 0 }),
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
const oddLines = ['', ' ', '  leading and trailing  ', 'ünïcödé 🎮', 'a'.repeat(3_000), 'null', '0', '> prompt', '[12:00:00] [INFO]: as servers write', '\u001b[31mred\u001b[0m', '\ta\ttab\t', 'the same', 'the same', '', 'the last']

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

  for (const when of ['before', 'while'] as const) {
    await add(`consoles.follow gives lines exactly as they were printed, blank and long ones included, printed ${when} it follows`, async stage => {
      const { name } = await stage.online()
      const early = when === 'while' ? following(stage, name) : undefined
      if (early !== undefined) await stage.settled(early.follower, 'consoles.follow')
      await print(stage, name, 'the first')
      for (const line of oddLines) await print(stage, name, line)
      if (early === undefined) await printed(stage, name, 'the last')
      const { lines, stop } = early ?? following(stage, name)
      await stage.until('the last line is told', () => lines.includes('the last'), () => show(lines))
      same(lines.slice(lines.indexOf('the first')), ['the first', ...oddLines], 'every line must be told once, exactly and in order')
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
    const [ofOne, ofOther] = [following(stage, one.name), following(stage, other.name)]
    await print(stage, one.name, 'of the one')
    await print(stage, other.name, 'of the other')
    await stage.until('each line is told', () => ofOne.lines.includes('of the one') && ofOther.lines.includes('of the other'), () => show([ofOne.lines, ofOther.lines]))
    for (let looks = 0; looks < 3; looks++) await stage.pause()
    assert.ok(!ofOne.lines.includes('of the other') && !ofOther.lines.includes('of the one'), `the lines of another service may not be told; told was ${show([ofOne.lines, ofOther.lines])}`)
    ofOne.stop()
    ofOther.stop()
  })

  await add('consoles.follow goes on over a restart', async stage => {
    if (stage.runtime.services.control === undefined) return
    const { name } = await stage.online()
    const { lines, follower, stop } = following(stage, name)
    await stage.settled(follower, 'consoles.follow')
    await print(stage, name, 'before the restart')
    await stage.until('a line is told', () => lines.includes('before the restart'), () => show(lines))
    await stage.says(true, 'services.stop', name)
    await stage.becomes(name, 'OFFLINE')
    await stage.call('services.start', name)
    await stage.becomes(name, 'ONLINE')
    await print(stage, name, 'after the restart')
    await stage.until('a line of the next life is told', () => lines.includes('after the restart'), () => show(lines))
    same(lines.filter(line => line.endsWith('the restart')), ['before the restart', 'after the restart'], 'each line must be told once')
    stop()
  })
}

/** What a service printed before its death, where the author can have one print and die. */
export const lastLines: RuntimeCases = async add => {
  await add('services.list: the lastExit of a service that dies says crashed, and what it printed last, oldest first', async stage => {
    const { name } = await stage.online()
    const lines = Array.from({ length: 14 }, (_, n) => `before the end ${n}`)
    for (const line of lines) await print(stage, name, line)
    await printed(stage, name, lines.at(-1)!)
    await stage.subject.crash?.(name)
    const { lastExit } = await stage.until(`the death of ${name} can be seen`, async () => {
      const now = await stage.find(name)
      return now === undefined ? { lastExit: undefined } : (now.state !== 'ONLINE' || now.lastExit !== undefined) && now
    })
    if (lastExit === undefined) return
    same(lastExit.reason, 'crashed', `the lastExit of ${name}, which died`)
    const told = lastExit.lastLines.filter(line => line.startsWith('before'))
    same(told, lines.slice(lines.length - told.length), `the lastLines of ${name}, oldest first`)
  })
}

/** Waits until a line can be read by whoever comes. */
async function printed (stage: Stage, name: string, line: string): Promise<void> {
  const { lines, stop } = following(stage, name)
  await stage.until(`${show(line)}, which was printed, is told`, () => lines.at(-1) === line, () => show(lines))
  stop()
}

const otherCase = (name: string): string => name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()

function following (stage: Stage, name: string, bytes = 65_536) {
  const lines: string[] = []
  const follow = new AbortController()
  const follower = stage.runtime.consoles?.follow(name, more => { lines.push(...more) }, { signal: follow.signal, bytes })
  return { lines, follower, stop: () => { follow.abort() } }
}
