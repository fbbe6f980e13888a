/** Takes credentials out of texts that go into a log or the audit. */

/** It is looked for at the beginning of a word only: from every character on, a long word would be read again and again. */
const token = /(?<![\w-])[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g
/** The same in a text that may be anything, where three words with dots between them need not be one: tokens begin like this. */
const certainToken = /(?<![\w-])eyJ[\w-]{7,}\.[\w-]{10,}\.[\w-]{10,}/g
/** An API key, also one that was cut. */
const key = /(?<![A-Za-z0-9])fc_[0-9A-Za-z]{1,64}_[0-9A-Za-z]+/g

/** The address of a request without what could be a token or a key. */
export const hideInAddress = (url: string): string => url.replace(token, '[token]').replace(key, '[key]')

/** A text without tokens and keys: somebody may have sent one where a name belongs. */
export const hideInText = (text: string): string => text.replace(certainToken, '[token]').replace(key, '[key]')
