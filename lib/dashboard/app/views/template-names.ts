/** The templates that are always there. */

const names = new Map([['EVERY', 'every service'], ['EVERY_SERVER', 'every server'], ['EVERY_PROXY', 'every proxy'], ['EVERY_FALLBACK', 'every fallback']])

/** Into what it is laid; undefined for every other template. */
export const useOf = (template: string): string | undefined => names.get(template)
