/** What somebody is logged in with, in a few words: user agents are long, and name everything that they are not. */

const browsers = [['Edg', 'Edge'], ['OPR', 'Opera'], ['SamsungBrowser', 'Samsung Internet'], ['Firefox', 'Firefox'], ['FxiOS', 'Firefox'], ['CriOS', 'Chrome'], ['HeadlessChrome', 'Chrome'], ['Chrome', 'Chrome'], ['Version', 'Safari']] as const
const systems = [['Windows', 'Windows'], ['Android', 'Android'], ['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Mac OS X', 'macOS'], ['CrOS', 'ChromeOS'], ['Linux', 'Linux']] as const

/** The agent itself where it is none of the usual browsers. */
export function agentOf (text: string): string {
  const versions = new Map(Array.from(text.matchAll(/\b([A-Za-z]{3,20})\/(\d{1,4})/g), ([, mark, version]) => [mark, version]))
  const [browser] = browsers.flatMap(([mark, name]) => versions.has(mark) ? [`${name} ${versions.get(mark)}`] : [])
  const [, system] = systems.find(([mark]) => text.includes(mark)) ?? []
  return browser === undefined || !text.startsWith('Mozilla/') ? text : system === undefined ? browser : `${browser} on ${system}`
}
