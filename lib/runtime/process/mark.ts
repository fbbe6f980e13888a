/** What everything that a service starts carries in its environment, so that its daemons can be found as well. */

export const MARK = 'CLOUD_RUN'

/** What the mark says. */
export interface Mark {
  /** Of the life. */
  readonly token: string
  /** The directory of services that it belongs to, by device and inode, and its name there; version 0.1.0 left both out. */
  readonly home?: string
  readonly name?: string
}

export function writeMark ({ token, home, name }: Required<Mark>): string {
  return `${token}@${home}/${name}`
}

/** Undefined for what no cloud has written. */
export function readMark (text: string): Mark | undefined {
  const [, token, home, name] = /^([0-9a-f]{32})(?:@(\d+:\d+)\/([A-Za-z0-9_-]+))?$/.exec(text) ?? []
  if (token === undefined) return undefined
  return home === undefined || name === undefined ? { token } : { token, home, name }
}
