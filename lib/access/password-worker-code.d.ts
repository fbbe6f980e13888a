/**
 * The program of a password thread, `password-worker.ts`, with bcryptjs in it: written by `scripts/bundle.js` as the last
 * step of `npm run build`.
 */
export declare const code: string
