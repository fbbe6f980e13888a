/** Which names may become directories and files. */

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/
const PLATFORM_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/

/** Whether a group or template may be called this. */
export function isName (value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value)
}

/** The code point of the first character that no name of a group or template has. */
export const strangeIn = (text: string): number | undefined => /[^A-Za-z0-9_-]/u.exec(text)?.[0].codePointAt(0)

/** Whether a platform may be called this: dots are allowed as well, but not in front. */
export function isPlatformName (value: unknown): value is string {
  return typeof value === 'string' && PLATFORM_NAME.test(value)
}

/**
 * The last line of defence before a name becomes part of a path. Callers have checked names already, so this one
 * throws: whoever gets here with another name has a fault.
 */
export function checkedName (name: string): string {
  if (!isName(name)) throw new TypeError(`Not a name: ${JSON.stringify(name)}`)
  return name
}

/** Two names that are the same on a file system that ignores case are the same name here. */
export function folded (name: string): string {
  return name.toLowerCase()
}
