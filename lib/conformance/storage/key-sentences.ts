/** What `types/storage.ts` promises of API keys and of the audit, sentence by sentence, each with the cases that try it, by their titles. */
import type { Promises } from '../suite.js'

export const keySentences = {
  'keys.identity': ['A key with its user and that user\'s role, as they are now.', /^keys\.insert stores/],
  'keys.insert': ['Adds a key.', /^keys\.insert stores/],
  'keys.missing': ['`\'missing\'`: there is no such user;', /^keys\.insert answers missing/],
  'keys.full': [
    '`\'full\'`: the user has `most` keys already, expired ones that were not purged yet included, and of many at once no more than that are stored.',
    /then full|no more than most/
  ],
  'keys.there': ['Throws when the id is there already.', /^keys\.insert throws/],
  'keys.find': ['The key of that id with its user and role, in one read.', /^keys\.insert stores/],
  'keys.list': ['A user\'s keys that expire after `now` or never, oldest first.', /^keys\.list/],
  'keys.listAll': ['The same of all users, each with its user.', /^keys\.list/],
  'keys.delete': ['Deletes a key;', /^keys\.delete/],
  'keys.delete.owner': ['where `userUuid` is given, one of that user only.', /^keys\.delete/],
  'keys.delete.missing': ['`\'missing\'`: there is no such key, or that user has none of that id.', /^keys\.delete/],
  'keys.touch': ['Notes the use of many keys at once.', /^keys\.touch/],
  'keys.touch.deleted': ['Never brings a deleted key back.', /^keys\.touch|^keys that are touched/],
  'keys.purge': ['Deletes the keys that expired at `now` or before.', /^keys\.purge/],
  'audit.entry': ['Stored in the transaction of the write, where that is done, whether it changes anything or not, and only there.', /^the entry of a write|changes nothing, and its entry/],
  'audit.target': ['Where its `target` is null and the write answers what is stored now, as `roles.insert` and `roles.update` do, the target is the id of that.', /^the entry of a write/],
  'audit.known': ['An entry whose id is there already is left out.', /^the entry of a write is left out/],
  'audit.stays': ['What the audit tells of the user stays.', /^the entry of a write is stored where|^any sequence/],
  'audit.insert': ['Adds entries;', /^audit\.insert/],
  'audit.there': ['one whose id is there already, or is that of an earlier one of the same call, is left out, and of several of one id at once one is stored.', /^audit\.insert/],
  'audit.list': [
    'The entries that the filter lets through, the newest first, without the first `offset` and at most `limit`, and how many there are in all.',
    /^audit\.list/
  ],
  'audit.filter': ['Which entries are meant: all that is given has to fit.', /^audit\.list/],
  'audit.from': ['With `from <= at <= to`.', /^audit\.list/],
  'audit.user': ['Of a user of that uuid, or one that had exactly that name then.', /^audit\.list/],
  'audit.purge': ['Deletes the entries of a time before `before`.', /^audit\.purge/],
  'keys.told': ['Where the keys of a user end with that user, a change of the user says so too.', /the end of a key is told/]
} as const satisfies Promises
