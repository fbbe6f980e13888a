/** Which test proves what: tests carry the numbers of cases and rows in their titles, and the pages list them by number. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { code, root, rowsOf, table } from './pages.js'

const cases = /\bcases? (\d+(?:(?:, | and )\d+)*)/g
const rows = /(?<=['"`])([A-Z]\d{1,2}(?:(?:, | and )[A-Z]\d{1,2})*)(?=: )/g

/** The files that name each number. */
function filesByNumber () {
  const found = new Map()
  const note = (number, file) => { found.set(number, (found.get(number) ?? new Set()).add(file)) }
  const files = readdirSync(join(root, 'test'), { recursive: true }).filter(name => name.endsWith('.test.ts')).sort()
  for (const file of files) {
    for (const line of readFileSync(join(root, 'test', file), 'utf8').split('\n')) {
      // `case 3: socket.end()` is a branch of a program.
      if (/^\s*case \d+:/.test(line)) continue
      for (const [, numbers] of line.matchAll(cases)) for (const number of numbers.match(/\d+/g)) note(number, file)
      for (const [, numbers] of line.matchAll(rows)) for (const number of numbers.match(/[A-Z]\d+/g)) note(number, file)
    }
  }
  return found
}

/** Writes into the last column of a table the tests that name the number in the first one. */
export function fillProofs (present) {
  const found = filesByNumber()
  const head = present.split('\n')[0].split('|').slice(1, -1).map(one => one.trim())
  return table(head, rowsOf(present).map(cells => {
    const [number] = cells
    const files = [...found.get(number) ?? []]
    return [...cells.slice(0, -1), files.map(file => `[${code(`test/${file}`)}](../test/${file})`).join(', ') || 'none yet']
  }))
}

/** The numbers that tests name. */
export const namedNumbers = () => [...filesByNumber().keys()]
