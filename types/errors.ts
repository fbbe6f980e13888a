/** What a host or an operator is told when something cannot be set up. Nothing of this reaches a client. */

/** Says to a program what is wrong; the message says it to people, and what can be done. */
export type SetupErrorCode =
  /** An option is missing, wrong or unknown; the message names it and what was given. */
  | 'CLOUD_ERR_OPTION'
  /** `access` was given what no role can hold, a word without a dot that is not `token`, `admin` or `public`, or what is below our namespace without being of the interface. */
  | 'CLOUD_ERR_PERMISSION'
  /** The decorator was used before the plugin is registered. */
  | 'CLOUD_ERR_NOT_READY'
  /** A route of the interface declares no access rule. */
  | 'CLOUD_ERR_ROUTE'
  /** An option of a storage is missing or wrong. */
  | 'CLOUD_ERR_STORAGE_OPTION'
  /** Another process, or another storage of this process, has the database file open. */
  | 'CLOUD_ERR_STORAGE_IN_USE'
  /** Users were stored once, and the database that is there now is not the one that holds them. */
  | 'CLOUD_ERR_STORAGE_LOST'
  /** The file is no intact database of this package. */
  | 'CLOUD_ERR_STORAGE_DAMAGED'
  /** A later release of this package made the tables. */
  | 'CLOUD_ERR_STORAGE_NEWER'
  /** Another core has the directory of a runtime open. */
  | 'CLOUD_ERR_DIRECTORY_IN_USE'
  /** A runtime cannot work on this system. */
  | 'CLOUD_ERR_UNSUPPORTED_SYSTEM'

/** Thrown while the plugin is registered, a route is declared, or a storage or runtime is opened. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
  readonly code: SetupErrorCode

  constructor (code: SetupErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
