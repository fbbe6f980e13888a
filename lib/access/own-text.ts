/** The same text by itself, to be kept: a part of a longer one keeps all of that in memory, and whoever sent it says how long that is. */
export const ownText = (text: string): string => Buffer.from(text).toString()
