/** Who a client calls as: a key, or the cookie of a login, which browsers keep by themselves and Node.js does not. */

export interface Credentials {
  /** Headers for a request or a handshake. */
  headers (): Record<string, string>
  /** Takes the cookie that an answer sets. */
  take (answer: Response): void
}

/** Whether we run in Node.js, or in something that says it is. */
export const isNode = (): boolean => typeof (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node === 'string'

export function createCredentials (key: string | undefined, cookieName: string): Credentials {
  let cookie: string | undefined
  // A token is bound to the agent that got it: requests and sockets have to send the same one. Browsers have theirs.
  const agent = isNode() ? { 'user-agent': 'fastify-cloud-client' } : undefined

  return {
    headers: () => ({
      ...agent,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(key === undefined && cookie !== undefined && { cookie })
    }),
    take: ({ headers }) => {
      // Pages do not get to see it.
      for (const line of headers.getSetCookie()) {
        const [pair = ''] = line.split(';')
        if (!pair.startsWith(`${cookieName}=`)) continue
        cookie = pair === `${cookieName}=` ? undefined : pair
      }
    }
  }
}
