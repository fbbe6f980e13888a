/** What a client throws where a stream or a console is refused. */

export class CloudError extends Error {
  /** The HTTP status; of a console that was open, the code that its socket was closed with. */
  readonly status: number
  /** What machines tell it by, for instance `forbidden`. */
  readonly code: string

  constructor (status: number, code: string, message: string) {
    super(message)
    this.name = 'CloudError'
    this.status = status
    this.code = code
  }
}

/** The refusal in the body of an answer; a proxy in between may have sent anything. */
export function refusalIn (status: number, text: string): CloudError {
  const { message, code } = read(text)
  return new CloudError(status, typeof code === 'string' ? code : 'unknown', typeof message === 'string' ? message : `The answer was ${status}`)
}

function read (text: string): { readonly message?: unknown, readonly code?: unknown } {
  try {
    return JSON.parse(text) as { readonly message?: unknown } | null ?? {}
  } catch {
    return {}
  }
}
