/** What `types/storage.ts` promises, sentence by sentence and in its own words, each with the cases that try it, by their titles. */
import type { Promises } from '../suite.js'
import { keySentences } from './key-sentences.js'

const sequences = /^any sequence/
const stale = /stale-actor|no write (?:with a key )?lands|asked for by somebody/

export const sentences = {
  races: ['It stores, and it settles every race atomically, across processes;', /^of many|at once|while/],
  words: ['- An outcome that a caller has to tell apart is a word in the result, never an exception.', sequences],
  thrown: ['Whatever is thrown is the machine\'s fault (a full disk, a lost connection) and means: nothing of this call was stored.', /throws/],
  unavailable: [
    'An error that will pass by itself, because the database is away, busy or full, carries `unavailable: true`: the client gets a 503 and not a 500.',
    /while the machine is at fault/
  ],
  durable: ['- When a promise of a write resolves, the write survives `kill -9` of this process.', /survives the process/],
  transaction: [
    '- **Each write is one transaction**: whoever reads at any moment finds all of it or nothing, and so does the next process where this one ended before the answer.',
    /whole or not at all/
  ],
  'at-once': ['Of several at once none is lost and none undoes another, purges among them.', /^a write that comes while|^audit\.insert of many/],
  order: ['- Where several outcomes apply, the answer is the first of them in the order of the method\'s description.', /the first that applies|^any sequence/],
  actor: [
    '- **Every write that somebody asked for names its actor** (`by`), and is done only if the actor is still who they say: their session, or their key, is there, its user has that role, and the role has that version.',
    stale
  ],
  'stale-actor': ['Otherwise the outcome is `\'stale-actor\'`, before every other one, and nothing is stored.', stale],
  'actor.transaction': [
    'The check is part of the same transaction: the end of a session or key, or a change of a role, that is committed before the write, by whatever process, refuses it, and one that comes at the same time is committed after it.',
    stale
  ],
  unique: ['they are unique, the shown forms are not.', /taken|^of many|^any sequence/],
  'look-up.exactly': ['- A look-up finds exactly that name or id, in that case, and nothing that an object has by itself (`constructor`, say).', /^a look-up|names, labels and ids that are like/],
  'look-up': ['One of a name or id that cannot be stored at all (one with NUL, say), that of an actor, of a session to keep and of activity included, finds nothing;', /^a look-up/],
  'look-up.throws': ['it does not throw.', /^a look-up/],
  whole: ['A write of such a text stores it whole or throws, before any outcome or after it;', /a text is stored whole/],
  'never-cut': ['it is never cut.', /a text is stored whole/],
  'as-given': [
    '- What is written is answered as it was given: a list in its order and with what it holds twice, an empty text as one, a number with all its digits.',
    /every field is answered as it was given|^the hash of a key is answered/
  ],
  handed: ['from then on it is the caller\'s, who may change it, and nothing of what is stored changes with it.', /every field is answered as it was given|^any sequence|ends several at once/],
  'given-up': ['- A name, label or id that was given up is free again, except the id of a role.', /is free again/],
  'answered.stays': ['What was answered stays as it was.', /^what was answered stays/],
  'one-moment': ['All that it answers was so at one moment: of what is committed meanwhile it shows nothing without what was committed before that.', /^what is read while something changes|by whoever has begun to read/],
  committed: ['- A read answers what was committed before it was called, by whatever process.', /^any sequence|ends several at once|^what one process has|^a process that opens the same data/],
  starts: ['- The storage starts with two roles: -1 (`Admin`, `admin`, `#FF0000`, `*`) and 0 (`User`, `user`, `#808080`;', /^a new storage/],
  'starts.version': ['its permissions are for whoever opens the storage to say), both with `default: true` and version 0.', /^a new storage/],
  'role-ids': ['Role ids count up from 1 and are never reused;', /^roles\.insert (?:stores|counts)/],
  'own-fields': ['- What is answered counts by its own fields, of whatever class it is: those of its type, and no others.', /whole/],
  'folded-name': ['The folded name;', /users\.findByNameKey/],
  'unique-word': ['unique.', /taken/],
  'folded-label': ['The folded label;', /^roles\.insert answers taken/],
  version: ['Counts the edits, from 0;', /version/],
  identity: ['A session with its user and that user\'s role, as they are now.', /^sessions\.find answers the user/],
  operator: ['`operator`: somebody at the machine itself, without either, who may always.', sequences],
  told: [
    'Calls `listener` after every committed change, however slight, of a user or role that exists, and every end of a session or key, until `signal` aborts;',
    /^subscribe tells|however slight|tells each end|each end is told|^any sequence/
  ],
  'told.here': ['Changes made through this object are told before the promise of the write resolves;', /before the promise|^any sequence/],
  'told.elsewhere': ['changes that another process made, within a second.', /another process|^any sequence/],
  'told.nothing': ['Nothing is told of a write that was refused or has thrown;', /tells nothing of what|^any sequence|while the machine/],
  'told.throws': ['A listener that throws breaks neither the write nor the other listeners, and a promise that it answers is not waited for, and may reject.', /a listener that (?:throws|answers)|^any sequence/],
  'told.abort': ['A signal that aborts while listeners are told takes nothing from the others;', /own abort|whichever abort/],
  'users.list': ['All users, oldest first, each with its role.', /^users\.list/],
  'insert-first': ['Adds the very first user, who is an admin.', /^users\.insertFirst adds/],
  'not-first': ['`\'not-first\'`: there is one already;', /^users\.insertFirst/],
  'not-first.once': ['of many at once exactly one is stored.', /^of many first users/],
  'insert-first.throws': ['Throws for an unknown role, since the first user is an admin and no request can name another role.', /^users\.insertFirst throws/],
  insert: ['Adds a user.', /^users\.insert stores/],
  'no-role': ['`\'no-role\'`: there is no such role;', /no-role|given is either held/],
  'no-role.end': ['`\'no-role\'`: no such role;', /no-role/],
  'no-admin': [
    '`\'no-admin\'`: the user is no admin, and there is none (any more): users without any admin would be left, and the first setup closed;',
    /no-admin|without an admin/
  ],
  'name-taken': ['`\'taken\'`: the name is.', /^users\.insert answers taken|new users of one name/],
  'uuid-there': ['Throws when the uuid is there already.', /uuid that is there/],
  rename: ['Gives a user another name;', /^users\.rename/],
  'rename.own': ['the own folded name is not taken.', /keep the own folded name/],
  missing: ['`\'missing\'`: no such user;', /missing/],
  'missing.end': ['`\'missing\'`: no such user.', /missing/],
  'rename.taken': ['`\'taken\'`: another has it.', /^users\.rename answers taken|take one name/],
  'set-role': ['Gives a user another role.', /^users\.setRole/],
  'set-role.last': ['`\'last-admin\'`: no admin (role -1) would be left.', /last-admin|two admins/],
  'set-password': [
    'Replaces the password\'s hash, sets `hasChangedPassword` as given, and deletes the user\'s sessions, except the one named.',
    /^users\.setPassword/
  ],
  'renew-hash': ['Replaces a password\'s hash by another one of the same password, as long as it is still `from`;', /^users\.renewHash|a hash that is renewed/],
  'renew-hash.only': ['nothing else changes, sessions neither.', /^users\.renewHash replaces/],
  'renew-hash.missing': ['`\'missing\'`: no such user, or one with another hash (the password was changed meanwhile).', /^users\.renewHash answers missing/],
  delete: ['Deletes a user with all sessions and keys.', /^users\.delete takes|^the deletion of a user/],
  'delete.last': ['`\'last-admin\'`: the user is the only admin, and other users would be left.', /^users\.delete answers last-admin/],
  'delete.alone': [
    'So somebody who is alone can delete the own account, and of two admins who delete each other at once one stays.',
    /the only user can be deleted|two admins/
  ],
  'roles.list': ['All roles by id, with the number of users that hold each.', /^roles\.list/],
  'roles.insert': ['Adds a role under an id that is higher than every one before.', /^roles\.insert|^of many new roles at once/],
  'label-taken': ['`\'taken\'`: the label is.', /^roles\.insert answers taken|roles of one label/],
  'roles.update': ['Replaces `label`, `labelKey`, `hexColor` and `permissions` of the role of that `id`, a default one\'s too;', /^roles\.update replaces/],
  'roles.update.default': ['what is given as `default` changes nothing.', /^roles\.update never makes/],
  'no-such-role': ['`\'missing\'`: no such role;', /^roles\.(?:update|delete).*missing/],
  stale: ['`\'stale\'`: `role.version` is not the stored one, read again and decide again;', /^roles\.update answers stale|edits of one version/],
  'roles.update.taken': ['`\'taken\'`: another has the label.', /^roles\.update answers taken/],
  'roles.update.answers': ['Answers the role as stored now, its version one higher.', /^roles\.update replaces/],
  'roles.delete': ['Deletes a role.', /^roles\.delete deletes/],
  'roles.delete.default': ['`\'default\'`: it came with the system;', /^roles\.delete answers default/],
  'roles.delete.held': ['`\'held\'`: users hold it.', /^roles\.delete answers held|either held/],
  'sessions.insert': [
    'Adds a session and deletes the user\'s oldest ones (by creation) beyond `keep`, never the one just added, whatever its `createdAt`.',
    /^sessions\.insert|many logins/
  ],
  'sessions.expired': ['Expired ones that were not purged yet count as well.', sequences],
  'sessions.insert.missing': [
    '`\'missing\'`: there is no such user, or its password hash is no longer `passwordHash` (it was changed while the login was under way).',
    /^sessions\.insert answers missing|^a login that is under way/
  ],
  'sessions.insert.twice': ['Throws when the id is there already.', /^(?:sessions|keys)\.insert throws/],
  'sessions.find': ['The session of that id with its user and role, in one read.', /^sessions\.find/],
  'sessions.find.expired': ['Expired ones too: time is the caller\'s.', /^(?:sessions|keys)\.find answers expired/],
  'sessions.list': ['A user\'s sessions that expire after `now`, oldest first.', /^sessions\.list|in the order of times/],
  'sessions.delete': ['Deletes one session of that user.', /^sessions\.delete deletes/],
  'sessions.delete.missing': ['`\'missing\'`: that user has no such session.', /^sessions\.delete deletes/],
  'sessions.deleteAll': ['Deletes all sessions of a user;', /^sessions\.deleteAll/],
  'sessions.deleteAll.none': ['where there are none that is `\'done\'` as well.', /^sessions\.deleteAll/],
  touch: ['Notes activity of many sessions at once.', /^sessions\.touch/],
  'touch.backwards': ['Never goes backwards: an earlier time than the one noted changes nothing.', /^sessions\.touch never goes/],
  'touch.deleted': ['Never brings a deleted session back.', /never brings a deleted|stay deleted/],
  purge: ['Deletes the sessions that expired at `now` or before.', /^what is purged is judged|^sessions\.purge/],
  'metrics.add': ['Adds sums and counts to the buckets named, all or none;', /^metrics\.add|^metrics added/],
  'metrics.twice': ['a bucket may be named more than once.', /named twice/],
  'metrics.throws': ['Throws, and stores nothing, when a figure, `start` among them, is no finite number.', /all buckets or none|no finite number/],
  'metrics.list': ['The buckets with `from <= start <= to`, ascending.', /^metrics\.list/],
  'metrics.sum': ['The sum of the buckets with `from <= start <= to`;', /^metrics\.sum/],
  'metrics.start': ['its `start` is that of the earliest of them.', /^metrics\.sum answers/],
  'metrics.none': ['Where there are none, every figure is 0 and `start` is `from`.', /^metrics\.sum of no/],
  ...keySentences,
  'metrics.purge': ['Deletes the buckets of that resolution that start before `before`.', /^metrics\.purge/]
} as const satisfies Promises
