/** The pages of the documentation, and small helpers for the tables in them. */
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Paths from the root: the Markdown files at the top and below `docs/`. */
export async function pages () {
  const top = (await readdir(root)).filter(name => name.endsWith('.md'))
  const docs = (await readdir(join(root, 'docs'), { recursive: true })).filter(name => name.endsWith('.md'))
  return [...top, ...docs.map(name => join('docs', name))].sort()
}

const cell = text => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ')

/** A Markdown table. */
export function table (head, rows) {
  return [head, head.map(() => '---'), ...rows].map(row => `| ${row.map(cell).join(' | ')} |`).join('\n')
}

/** The cells of each row of a Markdown table, without its head. */
export function rowsOf (text) {
  return text.split('\n').filter(line => line.startsWith('|')).slice(2)
    .map(line => line.split(/(?<!\\)\|/).slice(1, -1).map(one => one.trim().replaceAll('\\|', '|')))
}

export const code = text => `\`${text}\``
