/** The cases of lines that a command may have: what is one line without control characters is taken as any other. */
import { show } from '../suite.js'
import * as shapes from './shapes.js'
import type { RuntimeCases, Stage } from './stage.js'

/** The most that a line has, in bytes of UTF-8. */
const MOST = 4_095

/** Lines of all kinds, each as good as any. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  'signs that mean something elsewhere': ['"', '\'', '`', '"a" \'b\'', '$HOME $(y) {z}', '%s %d %', '\\n \\', '{}', '[]', '<b>&amp;', '* ? ~', '| & ; # !', '-', '--help', '/say hello', '//', '#', '@a', ':', '=', 'a=b', '../..'],
  'words that mean something elsewhere': ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'null', 'undefined', 'true', '0', 'NaN'],
  'blanks around it': [' a', 'a ', '  a  b  ', 'a\u00a0b', '\u3000a'],
  'letters of other scripts': ['ünïcödé', 'ß ſ İ ı', '你好', 'привет', 'שלום', 'e\u0301', '🎮', '👩‍👩‍👧', '\u200d', '\ufeffa', '\u202ea'],
  'many letters': ['a'.repeat(255), 'a'.repeat(256), 'a'.repeat(1_023), 'a'.repeat(1_024), 'a'.repeat(2_048), 'a'.repeat(MOST), `${'é'.repeat(2_047)}a`, '€'.repeat(1_365), `${'🎮'.repeat(1_023)}abc`]
}

/** The contract of `ServiceControl.command`, for every line. */
export const commandLines: RuntimeCases = async add => {
  for (const [kind, lines] of Object.entries(kinds)) {
    await add(`services.command answers true for a service that is ONLINE, not-running when it is OFFLINE, and false for a name that does not exist, whatever the line: ${kind}`, async stage => {
      const { name } = await stage.online()
      const ask = async (of: string, expected: unknown): Promise<void> => { for (const line of lines) await stage.says(expected, 'services.command', of, line) }
      await ask(name, true)
      await ask('no-such-service-1', false)
      await stage.becomes(name, 'ONLINE')
      await stage.says(true, 'services.stop', name)
      await stage.becomes(name, 'OFFLINE')
      await ask(name, 'not-running')
    })
  }
}

/** The contract of `Terminal`, for every line. */
export const terminalLines: RuntimeCases = async add => {
  await add('terminal.execute answers whether it was accepted, and lines, whatever line it is given', async stage => {
    const execute = async (stage: Stage, line: string) => await stage.settled(stage.runtime.terminal?.execute(line, stage.options), `terminal.execute(${show(line.slice(0, 80))})`)
    for (const line of Object.values(kinds).flat()) {
      if (line.trim() !== '') shapes.answer(await execute(stage, `no-such-command ${line}`), `what terminal.execute answers to ${show(line.slice(0, 80))} behind an unknown command`)
    }
    // Words that stand alone are commands of the runtime's own, or none: those that every object has are none.
    for (const line of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'x'.repeat(MOST), '"', '🎮', '%s', '-']) shapes.answer(await execute(stage, line), `what terminal.execute answers to ${show(line.slice(0, 80))}`)
  })
}
