/** What a permission looks like, wherever one is given: to a role, to `access`, or to a storage. */

/** Far more than a token has room for; the stack of the regular expression holds some millions. */
const longest = 65_536

/** Whether a role can hold that: dot-separated segments of lower-case letters, digits and dashes. */
export const isPermission = (given: unknown): given is string =>
  typeof given === 'string' && given.length <= longest && /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(given)

/** Whether a route can ask for that: a permission with a dot. A single word would be a misspelt `token` or `admin`. */
export const canBeAsked = (given: unknown): given is string => isPermission(given) && given.includes('.')
