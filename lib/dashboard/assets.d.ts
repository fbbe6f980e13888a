/** The page's files, which `lib/bundle.js` makes of `app/`. */

export interface BuiltAsset {
  /** Holds a hash of its content. */
  readonly name: string
  readonly type: string
  /** Its content, compressed by Brotli, in Base64. */
  readonly brotli: string
}

export const assets: readonly BuiltAsset[]
/** Names of what the page itself asks for, and of the scripts that the first one needs at once. */
export const script: string
export const needed: readonly string[]
export const worker: string
export const licences: string
export const style: string
export const icon: string
