/** Changing one table of a TOML file, and not a character beside it. Libraries that write TOML lose the comments of people. */

const HEADER = /^\s*\[/
const TOKEN = /^(?:"""|'''|"(?:\\.|[^"\\])*"|'[^']*'|[^"'#[\]]+|.)/
/** Most lines: nothing in them goes on in the next one. */
const PLAIN = /^[\w-]+ = "[^"\\]*"$/
const isBlank = (line: string): boolean => /^\s*(?:#|$)/.test(line)

/** Puts these lines in the place of what a top-level table has, or the table at the end where there is none. */
export function replaceTable (text: string, name: string, body: readonly string[]): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const all = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
  const lines = withoutKeys(all, name)
  const headers = headersOf(lines)
  const own = headers.find(at => nameOf(lines[at] as string) === name)
  if (own === undefined) return [...lines, ...(lines.length > 0 ? [''] : []), `[${name}]`, ...body, ''].join(end)
  const next = headers.find(at => at > own) ?? lines.length
  // A comment before the next table belongs to that.
  let last = next
  while (last > own + 1 && isBlank(lines[last - 1] as string)) last--
  return [...lines.slice(0, own + 1), ...body, ...(last === next && next < lines.length ? [''] : []), ...lines.slice(last), ''].join(end)
}

/**
 * A table that is said in keys before the first header, inline (`servers = { … }`) or dotted (`servers.lobby = …`), is taken out: beside a
 * header of its own it would be there twice.
 */
function withoutKeys (lines: readonly string[], name: string): readonly string[] {
  const begins = beginningsOf(lines)
  const header = begins.find(at => HEADER.test(lines[at] as string)) ?? lines.length
  const own = begins.filter(at => at < header && keyOf(lines[at] as string) === name)
  if (own.length === 0) return lines
  // A value goes on until the next line that is of something else; what is blank behind it stays.
  const isOwn = new Set(own.flatMap(begin => {
    let last = begins.find(at => at > begin) ?? lines.length
    while (last > begin + 1 && isBlank(lines[last - 1] as string)) last--
    return Array.from({ length: last - begin }, (_, at) => begin + at)
  }))
  return lines.filter((_, at) => !isOwn.has(at))
}

/** The numbers of the lines that begin a table. */
const headersOf = (lines: readonly string[]): number[] => beginningsOf(lines).filter(at => HEADER.test(lines[at] as string))

/** The numbers of the lines that begin something: a table or a key. What looks like one inside of a text or a list over several lines is none. */
function beginningsOf (lines: readonly string[]): number[] {
  const found: number[] = []
  let quote: string | undefined
  let depth = 0
  lines.forEach((line, at) => {
    const isInside = quote !== undefined || depth > 0
    if (!isInside && !isBlank(line)) found.push(at)
    if (!isInside && (HEADER.test(line) || PLAIN.test(line))) return
    for (let rest = line; rest !== '';) {
      if (quote !== undefined) {
        const end = rest.indexOf(quote)
        if (end === -1) return
        rest = rest.slice(end + quote.length)
        quote = undefined
        continue
      }
      const [token = ''] = TOKEN.exec(rest) ?? []
      if (token === '#') return
      if (token === '"""' || token === '\'\'\'') quote = token
      if (token === '[') depth++
      if (token === ']') depth--
      rest = rest.slice(token.length)
    }
  })
  return found
}

const nameOf = (line: string): string | undefined => /^\s*\[\s*(["']?)([\w-]+)\1\s*\]/.exec(line)?.[2]
const keyOf = (line: string): string | undefined => /^\s*(["']?)([\w-]+)\1\s*[.=]/.exec(line)?.[2]
