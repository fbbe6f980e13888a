/** What can go wrong, and whose fault it is. */
import type { EngineError } from '../../../types/engine.js'

/** Thrown when a runtime cannot be opened; `code` says why, the message what to do. */
export class SetupError extends Error {
  readonly code: string

  constructor (code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SetupError'
    this.code = code
  }
}

/** A start that cannot succeed as the platform, the group or the files are; the message is the reason shown to the operator. */
export class DefinitionError extends Error implements EngineError {
  override readonly name = 'DefinitionError'
  readonly fault = 'definition'
}

/** A start for which something is missing that may come back by itself, such as the file of the platform: it is tried again for as long as it takes. */
export class MissingError extends DefinitionError {}

/** Whose fault an error of a start is. */
export function faultOf (error: unknown): 'definition' | 'port' | 'machine' {
  const { fault } = (error ?? {}) as Partial<EngineError>
  return fault === 'definition' || fault === 'port' ? fault : 'machine'
}

/** The text of whatever was thrown. */
export function textOf (error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown }
  return typeof message === 'string' ? message : String(error)
}

/** The code of a failed system call, for instance `ENOENT`. */
export function codeOf (error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : undefined
}
