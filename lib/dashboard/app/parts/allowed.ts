/** What the interface allows where it only says that something is invalid. */

/** Of users, roles and keys. */
export const allowedForPeople = 'up to 64 characters of any script, none of them invisible'
/** Of groups and templates, which are names of directories as well. */
export const allowedForDirectories = 'up to 64 of A to Z, a to z, 0 to 9, _ and -, and no - at the beginning'
