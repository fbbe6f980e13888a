/** `proc-reader-program.ts` as a text: written by `lib/bundle.js` as the last step of `npm run build`. */
export declare const code: string
