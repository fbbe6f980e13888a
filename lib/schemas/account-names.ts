/** What a username or a label may look like, and when two of them are the same. */
import { invalid } from '../errors.js'
import { isPrintable } from '../printable.js'

const longest = 64
/** No name is longer in any of its compatibility forms (UTF-16 units); the widest character alone has 18. */
const longestForm = 2048
/** The blanks of braille, of musical notes, of Khitan and of hieroglyphs are ordinary characters to Unicode. */
const blank = /[\u{16FE4}\u2800\u{1D159}\u{13441}\u{13442}]/u

/**
 * The name as it is kept: trimmed, 1 to 64 characters, none of them invisible.
 * @throws Failure 400 `<title> is invalid`
 */
export function checkName (given: string, title: string): string {
  const name = given.trim()
  if (name === '' || [...name].length > longest || !isPrintable(name) || blank.test(name) || foldName(name) === '') throw invalid(title)
  return name
}

/** Equal for names that people would take for the same: compatibility forms (NFKC) and case do not matter. */
export function foldName (name: string): string {
  // Lower case comes first as well: the capital sharp s has no upper case, while that of its lower case is SS.
  return name.trim().normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC').trim()
}

/**
 * The folded form under which to look a name up that anybody may have sent. What is too long to be a name is nobody's
 * and is not folded: a megabyte of it would keep the event loop for a second.
 */
export function foldGiven (given: string): string {
  const name = given.trim()
  return name.length > longestForm ? '' : foldName(name)
}
