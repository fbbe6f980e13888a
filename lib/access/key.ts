/** The text of an API key: `fc_<id>_<secret>`, made and recognised. */
import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const idLength = 12
const secretLength = 32
const checksumLength = 6

/**
 * As scanners for leaked secrets can look for it. The last six characters of what follows the second underscore are the
 * CRC-32 of everything before them, so that they can tell a key from any other text without asking us.
 */
const form = /^fc_([0-9A-Za-z]{12})_[0-9A-Za-z]{38}$/

/** A new key: about 71 bits of id and 190 bits of secret. */
export function makeKey (): { readonly id: string, readonly text: string } {
  const id = random(idLength)
  const text = `fc_${id}_${random(secretLength)}`
  return { id, text: text + checksumOf(text) }
}

/** The id in the text of a key; undefined where that was cut, mistyped, or is none. */
export function idOf (text: string): string | undefined {
  const id = form.exec(text)?.[1]
  return id !== undefined && text.endsWith(checksumOf(text.slice(0, -checksumLength))) ? id : undefined
}

/** What is kept of a key. It is random enough that a fast hash tells nothing of it. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const random = (length: number): string => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

function checksumOf (text: string): string {
  let [sum, digits] = [crc32(text), '']
  while (digits.length < checksumLength) {
    digits = `${alphabet[sum % alphabet.length] as string}${digits}`
    sum = Math.floor(sum / alphabet.length)
  }
  return digits
}
