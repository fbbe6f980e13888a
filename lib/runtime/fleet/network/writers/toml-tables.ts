/** Changing one table of a TOML file, and not a character beside it. Libraries that write TOML lose the comments of people. */

const HEADER = /^\s*\[/
const TOKEN = /^(?:"""|'''|"(?:\\.|[^"\\])*"|'[^']*'|[^"'#[\]]+|.)/
/** Most lines: nothing in them goes on in the next one. */
const PLAIN = /^[\w-]+ = "[^"\\]*"$/
const isBlank = (line: string): boolean => /^\s*(?:#|$)/.test(line)

/** Puts these lines in the place of what a top-level table has, or the table at the end where there is none. */
export function replaceTable (text: string, name: string, body: readonly string[]): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
  const headers = headersOf(lines)
  const own = headers.find(at => nameOf(lines[at] as string) === name)
  if (own === undefined) return [...lines, ...(lines.length > 0 ? [''] : []), `[${name}]`, ...body, ''].join(end)
  const next = headers.find(at => at > own) ?? lines.length
  // A comment before the next table belongs to that.
  let last = next
  while (last > own + 1 && isBlank(lines[last - 1] as string)) last--
  return [...lines.slice(0, own + 1), ...body, ...(last === next && next < lines.length ? [''] : []), ...lines.slice(last), ''].join(end)
}

/** The numbers of the lines that begin a table; what looks like one inside of a text or a list over several lines is none. */
function headersOf (lines: readonly string[]): number[] {
  const found: number[] = []
  let quote: string | undefined
  let depth = 0
  lines.forEach((line, at) => {
    if (quote === undefined && depth <= 0 && HEADER.test(line)) {
      found.push(at)
      return
    }
    if (quote === undefined && PLAIN.test(line)) return
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
