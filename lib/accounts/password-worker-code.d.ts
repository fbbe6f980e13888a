/**
 * The program of a password thread, `password-worker.ts`, with bcryptjs in it: written by `lib/bundle.js` as the last
 * step of `npm run build`.
 */
export declare const code: string
