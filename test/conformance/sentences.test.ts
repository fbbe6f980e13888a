/** Every sentence of the contracts is a promise that a case tries, or stands here as none. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { engineConformance, runtimeConformance, storageConformance, type TestFunction } from '../../lib/conformance/index.js'
import { sentences as engineSentences } from '../../lib/conformance/engine/sentences.js'
import { fileSentences } from '../../lib/conformance/runtime/template-file-sentences.js'
import { sentences as runtimeSentences } from '../../lib/conformance/runtime/sentences.js'
import { sentences as storageSentences } from '../../lib/conformance/storage/sentences.js'
import type { Promises } from '../../lib/conformance/suite.js'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import { repository } from '../fixtures/repository.js'
import { simulatedEngine } from './broken-engines.js'
import { withDownloads } from './broken-lives.js'

/** The sentences of the docstrings of a page, in one line each. */
const sentencesOf = (page: string): readonly string[] =>
  [...readFileSync(join(repository, 'types', page), 'utf8').matchAll(/\/\*\*([\s\S]*?)\*\//g)]
    .map(([, text = '']) => text.replace(/^ *\* ?/gm, '').replace(/\s+/g, ' ').trim())
    .flatMap(text => text.split(/(?<=\.(?:\*\*)?|;) /))

/** The titles of all cases of a suite. */
async function titlesOf (run: (test: TestFunction) => Promise<void>): Promise<readonly string[]> {
  const titles: string[] = []
  await run(async title => { titles.push(title) })
  return titles
}

/** Sentences that promise nothing of an implementation: what the reader has to know, what the plugin does, what is given. */
const explains = {
  'runtime.ts': [
    /^`CloudRuntime` is what the cloud can do/, /^This page is/, /^- \*\*Lists may be empty/, /^What a runtime cannot do/, /^it never throws "unsupported"/,
    /^- \*\*Reads give what is there/, /^No error classes/, /^- \*\*Whatever is thrown/, /^- \*\*Results may be/, /^Every call gets/, /^what answers at once may/,
    /^- \*\*No derived facts/, /^Counts, percentages/, /^A name that a group or template is to get/, /^- \*\*What is wrong is left out/, /^the log names/,
    /^An answer that is wrong/, /^- Opening and closing/, /^The list may show a change/, /^so who has just begun/, /^That a new service is STARTING/, /^A call that the core did not answer/, /^It is under way until/, /^(?:- )?`'damaged'`[:,]/, /^(?:- )?`'no-port'`/, /^`'full'`: there is not enough/, /^`'too-large'`: (?:its|it would)/, /^it is as it was\.$/, /^nothing was made\.$/, /^nothing is written over it/, /^What of the groups that a runtime keeps/, /^Whether an edit of a group would be/, /^It is asked before each edit/, /^until then the group may be/, /^the one counts as done/, /^Passed to every call/, /^Aborted when the plugin/, /^when the host has closed/, /^and, of a list or a sample/, /^A list with a `revision`/, /^That of a deletion/, /^Given to a watcher/,
    /^Absent: /, /^Something that happens/, /^Of a line more than/, /^of a line more than/, /^A promise that it answers/, /^What services print/, /^read just before/,
    /^Optional\./, /^With it the plugin/, /^Normally a getter/, /^mind that a spread/, /^At most 1,000,000/, /^more is taken/, /^All items together/, /^an item with which/, /^What answers all at once/,
    /^The verb for a service/, /^What the runtime knows of/, /^Looks at the properties/, /^The client gets a 400/, /^who calls gives a platform/, /^A service as the runtime/,
    /^Verbs on /, /^Writes one line/, /^The line has no/, /^at most 4,095/, /^the service may not have read/, /^All groups\./, /^the terminal shows/, /^Why groups are/,
    /^starting more when/, /^Nobody else scales/, /^the conformance suite/, /^One that the runtime itself ends/, /^of an object of a class of yours/, /^no property is called/, /^The group is whole/, /^The changes together/, /^All templates, and/,
    /^What services run/, /^What platforms need/,
    /^What the cloud uses/, /^up to 110/, /^A command line of/, /^Runs one line/, /^It is one line/
  ],
  'template-files.ts': [
    /^The files of templates: the part/, /^What holds for the other/, /^The interface checks names/, /^As everywhere in the contract/, /^no name is `\.`/, /^No path leads out/, /^it asks for the next piece/,
    /^as an iterable no more/, /^It is the one of the call/, /^Asked by a runtime right/, /^It was asked when/, /^One file among all/, /^`many`: with it/, /^`crowded`: with it/, /^What a file has/, /^Whoever does not read/, /^A file on its way/, /^`'full'`/, /^Says that a runtime which is at work/
  ],
  'storage.ts': [
    /^`CloudStorage` is/, /^- A call answers within/, /^Of one that does not/, /^while the host closes/, /^So give the calls/, /^it hashes nothing/, /^Only a connection that dies/, /^What the actor may/, /^what is refused is judged/, /^- `nameKey` and/, /^some may be left out/,
    /^- What a call is handed/, /^A method that throws for an id/, /^Every time given/, /^- What has the same/, /^A user as stored/, /^A role as stored/, /^An API key of a user\./, /^What somebody did/, /^Made by the caller, unique/, /^What JSON can say/, /^its names are answered in any order/, /^Null where nobody/, /^The id of the API key/, /^null for none/, /^Of the whole key/, /^The addresses and networks/, /^none: from anywhere/, /^Null: /, /`key`: whoever has that key/, /^an edit names/, /^One login/, /^It holds what/, /^The token's/, /^The permissions that/, /^Who asks/,
    /^`session`: whoever/, /^What goes with/, /^that something new/, /^Several changes are told/, /^one that is done may/, /^of what is being told then/, /^Leave `subscribe` out/, /^What changed\./, /^`all`: something/, /^All sessions of a user, except/,
    /^`'stale-actor'`[;.]/, /^Nobody asks for it/, /^Sums over/, /^Sums and counts/, /^Start of the bucket/
  ],
  'engine.ts': [
    /^`Engine` is where/, /^This page is/, /^The fleet never asks/, /^- \*\*A life is one run/, /^Of one service there is/, /^An engine that cannot/, /^- \*\*Whatever is thrown/,
    /^The fleet tries again/, /^Two faults are/, /^- \*\*Results may be/, /^An engine whose results/, /^An answer that may/, /^The address that services/, /^Called once/,
    /^nothing of another cloud/, /^Rejects when another core/, /^Brings one life/, /^Aborted: nobody/, /^Whether the engine can/, /^Absent, or/, /^While it is away/,
    /^Calls `listener` when `away`/, /^Gives up whatever/, /^the services run on/, /^The last call/, /^Since when an engine/, /^What an engine may throw/, /^`definition`/,
    /^it counts like/, /^`port`/, /^the fleet takes another/, /^Absent: /, /^Told what a long/, /^An empty command stands/, /^The image of the platform/, /^What a container is made/, /^Its name, as registries/, /^Its program writes/, /^Everything that is needed/, /^`lobby-1`/, /^unique in the cloud/,
    /^32 hexadecimal/, /^No shell/, /^Values of the placeholders/, /^Directories whose/, /^later files win/, /^Where the platform keeps/, /^It may not exist/,
    /^A port that no/, /^of a later life/, /^An engine that gives out/, /^The address that it is/, /^absent: the engine/, /^`Running.host`/, /^MB\.$/, /^What is done with it/, /^How many compressed/, /^absent: (?:none|all|any number)\.$/, /^Processors that/, /^As with the memory/,
    /^Processes and threads/,
    /^The program is Java/, /^A file that was downloaded/, /^Names its content/, /^Where it is kept/, /^Its path in the working/,
    /^How it will be/, /^A directory of/, /^One life\./, /^`undefined` when it was/, /^0 when it/, /^For people/, /^Asked before it is/, /^How a life ended/,
    /^The engine has begun/, /^It counts as no/, /^For platforms whose/, /^The engine knows by/, /^From then on/, /^Asked at every look/, /^False: of a flood/,
    /^The fleet goes on/, /^How it is asked/, /^The working directory of a service/, /^and `secret:forwarding`/, /^Connects to the Unix socket/
  ]
} as const

async function compare (t: Test, page: keyof typeof explains, promises: Promises, titles: readonly string[]): Promise<void> {
  const says = new Map(Object.values(promises).map(([text, tried]) => [text, tried]))
  const all = sentencesOf(page)
  for (const sentence of all) {
    const isExplained = explains[page].some(one => one.test(sentence))
    t.ok(says.has(sentence) !== isExplained, `is a promise of the suite or stands among what promises nothing, not both: ${sentence}`)
  }
  for (const [text, tried] of says) {
    t.ok(all.includes(text), `stands in types/${page}: ${text}`)
    t.ok(titles.some(title => tried.test(title)), `is tried by a case: ${text}`)
  }
  for (const one of explains[page]) t.ok(all.some(sentence => one.test(sentence)), `stands in types/${page}: ${String(one)}`)
  for (const title of titles) {
    if (title.includes(': absent, as')) continue
    t.ok([...says.values()].some(tried => tried.test(title)) || isOfShape(title), `tries a sentence: ${title}`)
  }
}

/** What a case tries that stands in no docstring: fields and their ranges, as `types/resources.ts` and the members say. */
const isOfShape = (title: string): boolean => /whole|once|lists? (?:has|have|shows|is)|limit|order of|counts? the|stored and found|platforms|players|count|change whole|group says|compared|at is when|startedAt|lastExit|modifiedAt|the same of every file/.test(title)

t.test('every sentence of types/runtime.ts is tried by a case of the suite, or is none that can be tried', async t => {
  const titles = await titlesOf(async test => await runtimeConformance({ test, create: withDownloads }))
  // What holds for all verbs holds for these.
  const isOfFiles = (title: string): boolean => title.startsWith('templates.files') && !/outlive|handed out/.test(title)
  await compare(t, 'runtime.ts', runtimeSentences, titles.filter(title => !isOfFiles(title)))
  await compare(t, 'template-files.ts', fileSentences, titles.filter(isOfFiles))
})

t.test('every sentence of types/engine.ts is tried by a case of the suite, or is none that can be tried', async t => {
  const create = () => ({ ...simulatedEngine(), deafen () {}, remains: () => 1, read: () => '', write () {}, reopen: () => simulatedEngine().engine })
  await compare(t, 'engine.ts', engineSentences, await titlesOf(async test => await engineConformance({ test, create })))
})

t.test('every sentence of types/storage.ts is tried by a case of the suite, or is none that can be tried', async t => {
  const create = () => {
    const storage = createMemoryStorage()
    return { storage, another: async () => storage, reopen: () => storage, fail: () => () => {}, close () {} }
  }
  const titles = await titlesOf(async test => await storageConformance({ test, create }))
  await compare(t, 'storage.ts', storageSentences, titles)
})
