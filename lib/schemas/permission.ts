/** What a permission looks like. */

/** Far more than a token has room for; the stack of the regular expression holds some millions. */
const longest = 65_536

/** Whether a role can hold that: dot-separated segments of lower-case letters, digits and dashes. */
export const isPermission = (given: unknown): boolean =>
  typeof given === 'string' && given.length <= longest && /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(given)
