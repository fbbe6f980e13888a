/** How downloads are told of. */

/** `51.2 MB`; never 0 for something. */
export const megabytes = (bytes: number): string => bytes < 100_000 ? `${Math.ceil(bytes / 100) / 10} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`

/** Whole percent; 100 only for all of it. */
export const percentOf = (received: number, size: number): number => Math.floor(received * 100 / size)
