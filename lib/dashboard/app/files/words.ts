/** Texts in files: what can be edited in a field of a page comes out of it as it went in. */

export interface Words {
  /** With LF between lines, as a field has them. */
  readonly text: string
  readonly ends: 'lf' | 'crlf'
  /** Its lines end in several ways, which a field cannot keep. */
  readonly isMixed: boolean
}

/** Bytes that are edited here at most. */
export const longestText = 500_000

/** Undefined where it is no text. */
export function wordsIn (bytes: ArrayBuffer): Words | undefined {
  let text
  try {
    // A byte order mark stays what it is: a character.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
  if (text.includes('\0')) return undefined
  const [all, pairs] = [text.match(/\r\n|\r|\n/g)?.length ?? 0, text.match(/\r\n/g)?.length ?? 0]
  const ends = pairs > 0 && pairs === all ? 'crlf' : 'lf'
  return { text: text.replace(/\r\n?/g, '\n'), ends, isMixed: ends === 'lf' && text.includes('\r') }
}

export const bytesOf = (text: string, ends: Words['ends']): Uint8Array<ArrayBuffer> => new TextEncoder().encode(ends === 'crlf' ? text.replaceAll('\n', '\r\n') : text)

/** Characters that leave no mark or move others; a field of a form shows them as nothing. */
export function unseenIn (text: string): { readonly count: number, readonly line: number } | undefined {
  const found = [...text.matchAll(/(?![\n\t])\p{C}|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu)]
  const [first] = found
  return first === undefined ? undefined : { count: found.length, line: text.slice(0, first.index).split('\n').length }
}
