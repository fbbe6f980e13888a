/** What can keep a storage from opening; each is for the operator, none for a client. */
export type StorageFailureCode =
  /** Another process, or another storage of this process, has the database file open. */
  | 'CLOUD_ERR_STORAGE_IN_USE'
  /** Users were stored once, and the database that is there now is not the one that holds them. */
  | 'CLOUD_ERR_STORAGE_LOST'
  /** The file is no intact database of this package. */
  | 'CLOUD_ERR_STORAGE_DAMAGED'
  /** A later release of this package made the tables. */
  | 'CLOUD_ERR_STORAGE_NEWER'
  /** An option is missing or wrong. */
  | 'CLOUD_ERR_STORAGE_OPTION'

/** Tells an operator why a storage did not open and what can be done; `code` tells a program. */
export class StorageFailure extends Error {
  readonly code: StorageFailureCode

  constructor (code: StorageFailureCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StorageFailure'
    this.code = code
  }
}
