/** Takes credentials out of texts that go into a log or the audit, wherever they stand in them. */
import { printable } from '../printable.js'
import { ownText } from './own-text.js'

/** It is looked for at the beginning of a word only: from every character on, a long word would be read again and again. */
const token = /(?<![\w-])[\w-]{10,}(?:\.[\w-]{10,}){2,}/g
/**
 * The same in a text that may be anything, where three words with dots between them need not be one: tokens begin like this,
 * also behind other letters. No header of theirs is longer, and the limit keeps the search linear.
 */
const certainToken = /eyJ[\w-]{7,200}(?:\.[\w-]{10,}){2,}/g
/**
 * An API key, also one that was cut or mistyped: what else begins alike is the name of somebody or something. Nobody guesses
 * the rest of one of which fewer characters than these are told. What hangs on to one may be another.
 */
const key = /fc_[0-9A-Za-z]{1,64}_[0-9A-Za-z]{20,}\w*/g

/** The address of a request without what could be a token or a key. */
export const hideInAddress = (url: string): string => hideInText(url.replace(token, '[token]'))

/** A text without tokens and keys: somebody may have sent one where a name belongs. */
const hideInText = (text: string): string => text.replace(certainToken, '[token]').replace(key, '[key]')

/** No key is longer, nor what of a token tells that it is one. */
const longestSecret = 512

/**
 * The one form in which a text that somebody has sent is told: without tokens and keys, and nothing in it that a terminal would
 * act upon. Of a longer one than `most` the beginning, and nothing else of it is kept with that; what is hidden is hidden before, so that no cut leaves a part of it.
 */
export const tellable = (text: string, most = Infinity): string => ownText(printable(hideInText(text.slice(0, most + longestSecret)).slice(0, most)))
