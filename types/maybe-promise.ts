/** What a runtime answers with: at once, or later. */
export type MaybePromise<T> = T | Promise<T>
