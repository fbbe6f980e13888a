/** The cases of `platforms.downloads`: what is fetched is told, file by file, and waited for by nobody. */
import assert from 'node:assert/strict'
import { same, show } from '../suite.js'
import * as shapes from './shapes.js'
import type { RuntimeCases, Stage } from './stage.js'

type Answer = readonly string[] | false

async function fetch (stage: Stage, name?: string, version?: string): Promise<Answer> {
  const called = `platforms.downloads.fetch(${[name, version].map(show).join(', ')})`
  const answer: unknown = await stage.settled((async () => await stage.runtime.platforms.downloads?.fetch(name, version, stage.options))(), called)
  if (answer !== false) {
    assert.ok(Array.isArray(answer), `${called} must answer lines or false, and answered ${show(answer)}`)
    for (const [n, line] of answer.entries()) {
      shapes.line(line, `line ${n} of ${called}`)
      assert.ok((line as string).trim() !== '', `line ${n} of ${called} must say something`)
    }
  }
  return answer as Answer
}

const linesOf = (answer: Answer, what: string): readonly string[] => {
  assert.ok(answer !== false, `${what} is listed, and platforms.downloads.fetch answered false`)
  return answer
}

/** Names that somebody may take for that one. */
const near = (name: string): readonly string[] => [
  'no-such-one', '', '__proto__', 'constructor', 'toString', '*', `${name} `, ` ${name}`, `${name}-`, name.slice(0, -1), name.toUpperCase(), name.toLowerCase()
].filter((other, at, all) => other !== name && all.indexOf(other) === at)

const platformsOf = async (stage: Stage) => await stage.settled(stage.runtime.platforms.list(stage.options), 'platforms.list')

/** The contract of `PlatformDownloads`. */
export const downloads: RuntimeCases = async add => {
  await add('platforms.downloads.fetch answers at once, several times at once as well', async stage => {
    const [platform] = await platformsOf(stage)
    const call = async (name?: string) => await stage.runtime.platforms.downloads?.fetch(name, undefined, stage.options)
    const state = { over: false }
    const answers = Promise.all([call(platform?.name), call(platform?.name), call()]).finally(() => { state.over = true })
    // Awaited below; a failure there must not count as one that nobody hears of.
    answers.catch(() => {})
    for (let looks = 0; looks < AT_ONCE && !state.over; looks++) await stage.pause()
    assert.ok(state.over, 'platforms.downloads.fetch must answer at once, and not when the files are there')
    await answers
  })

  await add('platforms.downloads.fetch answers false for a platform or version that does not exist, compared as it is', async stage => {
    const all = await platformsOf(stage)
    for (const { name, versions } of all.slice(0, 2)) {
      for (const other of near(name).filter(other => all.every(one => one.name !== other))) {
        for (const version of [undefined, versions[0]?.version]) {
          const answer = await fetch(stage, other, version)
          assert.ok(answer === false, `there is no platform ${show(other)}: platforms.downloads.fetch(${show(other)}, ${show(version)}) must answer false, and answered ${show(answer)}`)
        }
      }
      const elsewhere = all.filter(one => one.name !== name).flatMap(one => one.versions.map(({ version }) => version))
      for (const version of [...near(versions[0]?.version ?? 'latest'), ...elsewhere].filter(version => versions.every(one => one.version !== version))) {
        const answer = await fetch(stage, name, version)
        assert.ok(answer === false, `${name} has no version ${show(version)}: platforms.downloads.fetch(${show(name)}, ${show(version)}) must answer false, and answered ${show(answer)}`)
      }
    }
  })

  await add('platforms.downloads.fetch answers lines for a version, for a platform and for all, and asking again joins', async stage => {
    const all = await platformsOf(stage)
    const asked: string[] = []
    const wholes: Array<readonly string[]> = []
    for (const { name, versions } of all) {
      const each = []
      for (const { version } of versions) {
        const [first, again] = [await fetch(stage, name, version), await fetch(stage, name, version)].map(answer => linesOf(answer, `${name} ${version}`))
        same(again!.length, first!.length, `asking again for ${name} ${version} joins what is under way, and tells as many files`)
        each.push(first!)
      }
      const whole = linesOf(await fetch(stage, name), name)
      const sum = each.reduce((sum, lines) => sum + lines.length, 0)
      assert.ok(whole.length <= sum && each.every(lines => lines.length <= whole.length), `for all versions of ${name} every file has a line: those of its versions are ${show(each)}, and all of them ${show(whole)}`)
      // Versions that have no file in common have more of them together than any has alone.
      const isApart = each.filter(lines => lines.length > 0).length > 1 && new Set(each.flat()).size === sum
      assert.ok(!isApart || whole.length > Math.max(...each.map(lines => lines.length)), `for all versions of ${name} every file has a line: those of its versions are ${show(each)}, and all of them ${show(whole)}`)
      // Each version has a file of its own, so that all of them cannot be told for each.
      const isAlways = versions.length > 1 && each.every(lines => lines.length >= versions.length && lines.length === whole.length)
      assert.ok(!isAlways, `platforms.downloads.fetch of one version of ${name} must tell the files of that one, and tells as many as for all: ${show(each)}`)
      asked.push(...whole)
      wholes.push(whole)
    }
    for (let pauses = 0; pauses < DONE; pauses++) await stage.pause()
    for (const [n, { name }] of all.entries()) {
      const later = linesOf(await fetch(stage, name), name)
      same(later.length, wholes[n]!.length, `a file that is there already has a line as well: asked again, platforms.downloads.fetch(${show(name)}) tells ${show(later)}, and told ${show(wholes[n])}`)
    }
    const everything = linesOf(await fetch(stage), 'everything')
    assert.ok(everything.length <= asked.length && (asked.length === 0 || everything.length > 0), `for all platforms every file has a line: theirs are ${show(asked)}, and all of them ${show(everything)}`)
    // Platforms that have no file in common have more of them together than any has alone.
    const filled = wholes.filter(lines => lines.length > 0)
    const most = Math.max(0, ...filled.map(lines => lines.length))
    const isApart = filled.length > 1 && new Set(asked).size === asked.length
    assert.ok(!isApart || everything.length > most, `for all platforms every file has a line: theirs are ${show(wholes)}, and all of them ${show(everything)}`)
  })
}

/** Pauses after which most of what is fetched is there. */
const DONE = 6

/** Pauses in which an answer that waits for no file is there. */
const AT_ONCE = 50
