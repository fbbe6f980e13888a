/** Texts of others, made safe to look at, and figures as people read them. */

/** What leaves no mark, or moves the marks beside it: controls, bidirectional tricks, what has no width, Braille without a dot. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu
const longest = 2_000

/** Somebody else's text: what would not be seen is written out, and what has no end is cut. */
export function plain (text: string): string {
  if (text.length <= longest) return writtenOut(text)
  const [shown, left] = cut(text, longest)
  return writtenOut(shown) + (left === 0 ? '' : more(left))
}

export const writtenOut = (text: string): string => text.replace(unseen, written)

/** So many characters of a text, and how many it has besides. */
export function cut (text: string, most: number): readonly [shown: string, left: number] {
  const characters = [...text]
  return [characters.slice(0, most).join(''), Math.max(0, characters.length - most)]
}

/** `atLeast`: what is left is not known to its end. */
export const more = (left: number, atLeast = false): string => `… (${atLeast ? 'at least ' : ''}${counted(left, 'more character')})`

const moments = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z/g

/** What the runtime says of something: its times are shown as all others are. */
export const plainReason = (text: string): string => plain(text).replace(moments, at => Number.isNaN(Date.parse(at)) ? at : shortDateOf(Date.parse(at)))

const written = (character: string): string => `‹${(character.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}›`

/** A name of which each blank counts: those around it, and those inside that look like another one. */
export function plainName (text: string): string {
  const characters = [...plain(text)]
  const isBlank = (character: string): boolean => character.trim() === ''
  const first = characters.findIndex(one => !isBlank(one))
  const last = characters.findLastIndex(one => !isBlank(one))
  return characters.map((one, at) => isBlank(one) && (one !== ' ' || at < first || at > last) ? written(one) : one).join('')
}

const whole = new Intl.NumberFormat('en')
const short = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

export const number = (value: number): string => whole.format(value)
export const percent = (value: number): string => `${short.format(value)} %`
export const memory = (mb: number): string => mb >= 10_240 ? `${short.format(mb / 1_024)} GB` : `${whole.format(Math.round(mb))} MB`
/** `51.2 MB`; never 0 for something. */
export function bytes (count: number): string {
  if (count < 1_000) return `${count} B`
  if (count < 1_000_000) return `${short.format(count / 1_000)} kB`
  return count < 1_000_000_000 ? `${short.format(count / 1_000_000)} MB` : `${short.format(count / 1_000_000_000)} GB`
}
export const counted = (count: number, one: string, many = `${one}s`): string => `${number(count)} ${count === 1 ? one : many}`

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const datesOfThisYear = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit' })
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hour12: false })

export const dateOf = (at: number): string => dates.format(at)
/** Without the year where it is this one. */
export const shortDateOf = (at: number): string => new Date(at).getFullYear() === new Date().getFullYear() ? datesOfThisYear.format(at) : dates.format(at)
export const clockOf = (at: number): string => clock.format(at)

const spans = [['d', 86_400], ['h', 3_600], ['min', 60], ['s', 1]] as const

/** `3 d 4 h`: the two largest parts. */
export function span (ms: number): string {
  let rest = Math.max(0, Math.round(ms / 1_000))
  const parts: string[] = []
  for (const [unit, seconds] of spans) {
    const count = Math.floor(rest / seconds)
    if (count > 0 || (parts.length === 0 && unit === 's')) parts.push(`${count} ${unit}`)
    else if (parts.length > 0) break
    rest -= count * seconds
    if (parts.length === 2) break
  }
  return parts.join(' ')
}

export const ago = (at: number, now = Date.now()): string => now - at < 5_000 ? 'just now' : `${span(now - at).split(' ').slice(0, 2).join(' ')} ago`
