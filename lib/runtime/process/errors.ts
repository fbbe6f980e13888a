/** Thrown by `openProcessRuntime` when it cannot open; `code` says why, the message what to do. */
export class SetupError extends Error {
  readonly code: string

  constructor (code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SetupError'
    this.code = code
  }
}

/** A start that cannot succeed as things are; the message is the reason shown to the operator. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** The text of whatever was thrown. */
export function textOf (error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The code of a failed system call, for instance `ENOENT`. */
export function codeOf (error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
}
