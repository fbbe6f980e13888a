/**
 * Paths as bytes. A name on a disk may be no UTF-8, such as one from an old archive, and nothing is found under what a text makes of it:
 * what copies a tree has each path as a text with a character a byte, and gives its bytes to the system.
 */
export const bytesIn = (path: string): string => Buffer.from(path).toString('latin1')

/** The bytes themselves, for the system. */
export const rawPath = (path: string): Buffer => Buffer.from(path, 'latin1')

/** As it is read by people. */
export const textIn = (path: string): string => rawPath(path).toString()

/** The same text by itself: a part of a longer one keeps all of that in memory as long as it is kept. */
export const ownText = (text: string): string => Buffer.from(text).toString()
