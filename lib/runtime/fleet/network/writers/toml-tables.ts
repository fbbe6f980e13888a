/** Changing one table of a TOML file, and not a character beside it. Libraries that write TOML lose the comments of people. */

const HEADER = /^\s*\[/
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
  const next = new Map(begins.map((begin, at) => [begin, begins[at + 1] ?? lines.length]))
  // A value goes on until the next line that is of something else; what is blank behind it stays.
  const isOwn = new Set(own.flatMap(begin => {
    let last = next.get(begin) as number
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
    // Each character is looked at once: whoever writes the file decides what is in it.
    for (let place = 0; place < line.length;) {
      if (quote !== undefined) {
        place = endOf(line, place, quote)
        if (place <= line.length) quote = undefined
        continue
      }
      const one = line.charAt(place)
      if (one === '#') return
      if (one === '"' || one === '\'') quote = line.startsWith(one.repeat(3), place) ? one.repeat(3) : one
      else if (one === '[') depth++
      else if (one === ']') depth--
      place += quote?.length ?? 1
    }
    // It has no end only where the file is wrong.
    if (quote?.length === 1) quote = undefined
  })
  return found
}

/** Where a text that is under way has ended, beyond the line where it has not. Three quotes may have one or two of the text's own before them. */
function endOf (line: string, from: number, quote: string): number {
  for (let place = from; place < line.length; place++) {
    if (line[place] === '\\' && quote.startsWith('"')) place++
    else if (line.startsWith(quote, place)) {
      const end = place + quote.length
      const isLonger = (at: number): boolean => quote.length === 3 && line[at] === quote[0]
      return isLonger(end) ? end + (isLonger(end + 1) ? 2 : 1) : end
    }
  }
  return line.length + 1
}

const nameOf = (line: string): string | undefined => /^\s*\[\s*(["']?)([\w-]+)\1\s*\]/.exec(line)?.[2]
const keyOf = (line: string): string | undefined => /^\s*(["']?)([\w-]+)\1\s*[.=]/.exec(line)?.[2]
