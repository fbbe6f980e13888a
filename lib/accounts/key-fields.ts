/** What a key is made of; a file of its own, because the entry of the package shows it and no more of what stands behind keys. */
export interface KeyFields {
  readonly label: string
  readonly permissions: readonly string[]
  readonly addresses?: readonly string[]
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt?: number
}
