/** Leads what a failed test prints back from the compiled file to the source. Source maps in each process would cost it a tenth of its time. */
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const maps = new Map()

function mapOf (file) {
  if (!maps.has(file)) {
    try {
      maps.set(file, new SourceMap(JSON.parse(readFileSync(join(root, `${file}.map`), 'utf8'))))
    } catch {
      // A file that was not compiled.
      maps.set(file, undefined)
    }
  }
  return maps.get(file)
}

/** Where that line stands in the source, or undefined. */
function sourceOf (file, line, column) {
  const { originalLine, originalColumn } = mapOf(file)?.findEntry(line - 1, column - 1) ?? {}
  return originalLine === undefined ? undefined : { file: file.replace(/^dist\//, '').replace(/\.js$/, '.ts'), line: originalLine + 1, column: originalColumn + 1 }
}

/** TAP in which every place names the line of the source. */
export function inSources (text) {
  return text
    .replace(/(?:file:\/\/)?(?:[^\s'"()]*\/)?(dist\/(?:test|lib|types)\/[\w./-]+\.js):(\d+):(\d+)/g, (place, file, line, column) => {
      const source = sourceOf(file, line, column)
      return source === undefined ? place : `${source.file}:${source.line}:${source.column}`
    })
    .replace(/fileName: (dist\/[\w./-]+\.js)(\n\s+lineNumber: )(\d+)(\n\s+columnNumber: )(\d+)/g, (place, file, toLine, line, toColumn, column) => {
      const source = sourceOf(file, line, column)
      return source === undefined ? place : `fileName: ${source.file}${toLine}${source.line}${toColumn}${source.column}`
    })
}
