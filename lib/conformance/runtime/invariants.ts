/** What holds at every look, whatever else was tried: each promise is one case, which fails with what was found first. */
import assert from 'node:assert/strict'
import { quoted, type TestFunction } from '../suite.js'
import type { Findings, Invariant } from './findings.js'
import { sentences, type Sentence } from './sentences.js'

const lists = ['services', 'groups', 'platforms', 'players', 'templates'] as const

const invariants: ReadonlyArray<readonly [Invariant, string, Sentence | undefined]> = [
  ...lists.map(name => [`${name}.shape` as const, `${name}.list: every item is whole and in range, at every look`, undefined] as const),
  ...lists.map(name => [`${name}.once` as const, `${name}.list names each once, at every look`, undefined] as const),
  ...lists.map(name => [`${name}.revision` as const, `${name}.revision has moved wherever the list answers differently, at every look`, 'revision'] as const),
  ['list.revision', 'a revision is a number, at every look', 'revision'],
  ['list.handed-out', 'a list that was handed out stays as it was, at every look', 'handed-out'],
  ['answers.handed-out', 'what was answered or told is handed out and stays as it was, at every look', 'handed-out'],
  ['calls.given', 'what a call was given stays as it was, at every look', 'given.kept'],
  ['reasons.line', 'groups.reasons.of answers one line that says something, or undefined, at every look', 'reasons.line'],
  ['damage.none', 'groups.damage.of answers false of what nobody has changed by hand, at every look', undefined],
  ['services.group', 'services.list: each is of a group that is listed, at every look', 'service.group'],
  ['services.created', 'services.list: the createdAt of a service stays as it was, at every look', 'service.created'],
  ['services.port', 'services.list: each that is ONLINE listens on a port of its own, at every look', undefined],
  ['players.service', 'players.list: each is on a service that is listed, at every look', undefined],
  ['states.shape', 'states.watch tells each change whole', undefined],
  ['states.moves', 'states.watch tells a change where there is one', 'states.moves']
]

/** The cases of what was found by the others. */
export async function atEveryLook (findings: Findings, test: TestFunction): Promise<void> {
  for (const [invariant, title, sentence] of invariants) {
    await test(title, async () => {
      const found = findings.of(invariant)
      if (found !== undefined) assert.fail(sentence === undefined ? found : `${found}\n${quoted(sentences[sentence][0])}`)
    })
  }
}
