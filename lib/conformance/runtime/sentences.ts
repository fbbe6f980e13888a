/**
 * What `types/runtime.ts` promises, sentence by sentence and in its own words, each with the cases that try it, by their titles.
 * A failure quotes the sentences of its case. A test compares them with that page, and finds those that no case tries.
 */
import type { Promises } from '../suite.js'

const everyLook = /at every look$/

export const sentences = {
  'names.false': ['commands answer `false` for a name that does not exist.**', /answers? false for (?:a|whatever)/],
  'given-up.before': ['It may be aborted already when a call comes.', /with a signal that is aborted already/],
  'given-up': ['Finish or undo what was begun;', /is finished or undone/],
  'given-up.half': ['do not stop half-way.', /is finished or undone/],
  'names.exact': ['- **Names are looked up exactly**, case included: `Lobby` is not `lobby`.', /compare names as they are|look a name up exactly|compared as it is|whatever is no name/],
  'names.taken': ['Only `create` and `rename` ignore case, where they ask whether a new name is taken.', /in another case|ignoring case/],
  'names.any': ['that of a service in a call is whatever a client sent, `__proto__` for instance.', /whatever is no name|does not exist/],
  'handed-out': ['- **Values handed out must not be changed afterwards**: make a new object instead.', /handed out/],
  survives: ['- **What a verb on groups or templates has answered survives `kill -9` of this process.**', /outlives? the core/],
  'survives.whole': ['What was not answered yet is there whole or not at all.', /whole or not at all/],
  'log.lines': ['The core\'s own log, a line at a time.', /^log\.watch/],
  'watch.tells': ['Calls `listener` with everything that happens from now on, until `signal` aborts;', /^(?:states|log)\.watch/],
  'watch.abort': ['not once after that, and never where it is aborted already.', /^(?:states|log)\.watch: (?:nothing|the abort|who aborts|a signal|a function)/],
  'states.order': ['Those of a service are told in their order.', /^states\.watch tells/],
  'states.last': ['one that goes from the list has gone to OFFLINE before.', /^states\.watch tells/],
  'states.moves': ['A service has gone from one state to another.', /^states\.watch tells/],
  'follow.lines': [
    'Follows the console of a service: calls `listener` with the last lines, at most `bytes` of UTF-8 with or without line ends, and then with every new one, without a gap or a repeat between the two, until `signal` aborts.',
    /^consoles\.follow(?:: | gives| counts)/
  ],
  'follow.lives': [
    'The last lines are those of its present life or, where it is OFFLINE, of its last one;',
    /^consoles\.follow gives the last lines/
  ],
  'follow.earlier': ['before them those of earlier lives, as far as the runtime keeps any.', /^consoles\.follow gives the last lines/],
  'follow.exact': ['Lines are exact and without their end, and a runtime may end one after 16,384 characters;', /^consoles\.follow gives lines exactly/],
  'follow.order': ['several at a time, in order, at most 1,000,000 and 16,777,216 characters (the lines beyond are left out);', /^consoles\.follow gives (?:many|lines)/],
  'follow.lives-on': ['Goes on over the lives of the service, however one ends and another begins, and from OFFLINE as well.', /^consoles\.follow goes on over/],
  'follow.aborted': ['With a signal that is aborted already it answers as ever, and calls nobody.', /^consoles\.follow with a signal/],
  'follow.true': ['`true`: it is followed.', /^consoles\.follow answers true/],
  'no-service': ['`false`: no such service.', /^groups\.delete of the group|^consoles\.follow answers false|^services\.(?:command|stop).*(?:exist|gone with its group)|^services\.command, restart/],
  'given.kept': ['What a call is given is not changed by either side, so that a runtime may keep it without a copy, the pieces of a file included.', /^groups\.(?:create|edit)|^what a call was given/],
  'states.at': ['When it has gone there, in milliseconds since the Unix epoch;', /^states\.watch: at is when/],
  'states.at-later': ['never before the change that was told before.', /^states\.watch: at is when/],
  'downloads.lines': [
    'Begins to fetch what is missing for a version of a platform, for all its versions, or for all platforms where none is named, and answers at once, whatever is still on its way: for each file a line for people that is not empty, which tells how far it is, for one that is there already as well.',
    /^platforms\.downloads\.fetch answers (?:lines|at once)/
  ],
  'downloads.joins': ['Asking again joins what is under way.', /^platforms\.downloads\.fetch answers lines/],
  'downloads.false': ['`false`: no such platform or version.', /^platforms\.downloads\.fetch answers false/],
  revision: ['A number that changes whenever `list()` would answer differently;', /revision (?:moves|has moved|is)/],
  'service.group': ['It is of a group that is listed.', /a group that is listed/],
  'service.forms': [
    'Mind the two fields that look otherwise than in its `Group`: `properties` are those of the group, all as strings (`{ fallback: \'true\' }`), and `templates` are `{ name, size }`, those of the group among them.',
    /^services\.list(?: shows what the group says| answers every service whole|: the properties)|^services\.list: every item/
  ],
  'service.created': ['Time of its first start.', /createdAt/],
  'service.stays': ['It stays the same for as long as the service is listed, and so does its `port`.', /createdAt/],
  'services.all': ['All services that exist, whatever their state.', /where the service is/],
  'services.ended': ['A life that has ended, late in its STARTING as well, is not ONLINE afterwards.', /^a service that dies late/],
  'deletion.first-moment': ['From the first moment of the deletion of their group `start` and `restart` answer `false`;', /^services\.(?:start|restart).*its group being deleted|from the first moment/],
  'deletion.as-ever': ['`command` and `stop` answer as ever, for as long as the service is listed.', /^services\.(?:command|stop).*its group being deleted/],
  'command.true': ['- `true`: the line was written;', /^services\.command(?: answers true|.*ONLINE)/],
  'command.not-running': ['- `\'not-running\'`: it is neither ONLINE nor STARTING.', /^services\.command(?: answers not|.*(?:STOPPING|OFFLINE))/],
  'command.not-reading': ['- `\'not-reading\'`: it is ONLINE and does not take any more input, or it is STARTING and does not yet.', /^services\.command.*STARTING/],
  'command.false': ['- `false`: no such service.', /^services\.command, restart, start and stop|^services\.command.*gone/],
  'restart.accepted': ['Accepts a restart and answers at once;', /^services\.restart/],
  'restart.same': ['the same name comes back with the same port and `createdAt`.', /^services\.restart brings the service back/],
  'restart.any-state': ['In any state, OFFLINE included;', /^services\.restart, where|^services\.restart starts/],
  'restart.joins': ['a second restart joins the first, and a `stop` takes it back.', /joins the first|^services\.stop (?:takes back|straight after)|restarting$/],
  'restart.seen': [
    'The restart can be seen: either the service is listed for a moment as something else than ONLINE, or `revision` has moved by the time of the answer.',
    /^services\.restart restarts/
  ],
  'restart.limit': [
    'It is not refused in a group that has its maximum: starting a stopped service there may put the group above it, and it is the runtime that brings it back, by ending that service or another.',
    /^services\.restart.*has its maximum/
  ],
  'restart.false': ['`false`: no such service, or its group is being deleted.', /^services\.restart.*(?:deleted|gone)|^services\.command, restart/],
  'start.one-more': ['Starts one more service of the group of that name or, where there is no such group, the stopped service of that name;', /^services\.start/],
  'start.listed': ['answers when the start is accepted, with the service\'s name, and it is listed by then.', /^services\.start/],
  'start.new-name': ['One more is a service of a new name, or one of the group that was OFFLINE.', /^services\.start (?:of the group|starts one more)/],
  'start.limit': ['- `\'limit\'`: the group already has its maximum;', /^services\.start.*(?:limit|maximum)/],
  'start.stopped-free': ['services that are OFFLINE because they were stopped do not count, all others do, those that died and will be started again among them.', /^services\.start of the group|^any sequence/],
  'start.own-place': [
    'One of these has its place already: its own start answers `{ name }` in a group that has its maximum as well, unless the others alone are as many.',
    /^services\.start(?: of a service that has died|, where the service is OFFLINE by its death)/
  ],
  'start.running': ['- `\'running\'`: the service of that name is not OFFLINE;', /^services\.start(?: answers running|, where)/],
  'start.running-first': ['that comes before `\'limit\'`.', /^services\.start, where/],
  'start.service': ['- `false`: no such group or service, or the group is being deleted.', /^services\.start.*(?:deleted|gone)|^services\.command, restart/],
  'stop.accepted': ['Accepts the stop of a service and answers at once.', /^services\.stop/],
  'stop.stays': ['It stays listed, as OFFLINE, until it is started again or its group deleted;', /^services\.stop/],
  'stop.replaced': ['while it is OFFLINE its group may start another in its place, or that one again for its minimum.', /^services\.stop: the group has its minimum|^services\.start of the group, where the service is OFFLINE/],
  'stop.later-wins': ['What comes later wins: a stop takes back a restart that is under way, and a restart a stop;', /what comes later wins|takes back a restart/],
  'stop.dies': ['a program that dies meanwhile takes back neither.', /^a program that dies/],
  kill: ['As `stop`, but the service is ended at once: it is not asked, and gets no time to save anything.', /^services\.kill/],
  'kill.stopping': ['One that is being stopped already is not waited for any longer.', /^services\.kill(?:, where the service is STOPPING| straight after services\.stop)/],
  'restarts.there': ['Restarts of whole groups, during which somebody is always there.', /^groups\.restart (?:restarts|brings)/],
  'restarts.players': ['Players have time to leave before: nobody is ended at once who has some.', /^groups\.restart gives the players/],
  'restarts.each': ['Accepts the restart of every service of a group that is not OFFLINE, those that are STARTING among them, one after the other, and answers at once.', /^groups\.restart (?:restarts|of two groups|leaves a service that was stopped before)/],
  'restarts.successor': ['Where the maximum allows one more, the successor comes first, and the old service ends only while it is ONLINE: where it dies before, players who still leave or not, the old one goes on until it, or another, is;', /^groups\.restart brings/],
  'restarts.last': [
    'The last one that is ONLINE is not ended while the group wants others that are not: it waits for one of them, and the restart ends when none of them starts any more.',
    /^groups\.restart restarts/
  ],
  'restarts.back': ['otherwise, and where a service keeps files or a port of its own, a service comes back under its name.', /^groups\.restart restarts/],
  'restarts.joins': ['A second restart joins the first;', /^groups\.restart: a second/],
  'restarts.ends': ['an edit or a deletion of the group ends it, and what is left runs on.', /^groups\.restart ends/],
  'restarts.beside': ['What happens to another group does not, a restart of that and another name for a template neither.', /^groups\.restart (?:of two groups|goes on)/],
  'restarts.stopped': ['A service that is stopped before its turn, or that was OFFLINE already, stays as it is and is not started as the successor of another;', /^groups\.restart leaves a service that is stopped/],
  'restarts.dies': ['One that dies before its turn comes back, or has a successor, as the others.', /^groups\.restart restarts every service of the group, one that dies/],
  'restarts.successor-stopped': ['One whose successor is stopped may stay as it is.', /^groups\.restart brings the successor first, and keeps/],
  'no-group': ['`false`: no such group, or it is being deleted.', /^groups\.restart answers false|^groups\.edit (?:and delete answer|answers false|of the group.*(?:deleted|gone))/],
  'progress.counts': ['How far a restart has got: services that are done, of all;', /groups\.progressOf counts/],
  'progress.done': ['done is one that, or the successor of which, is ONLINE in its next life, also while players of the old one leave.', /groups\.progressOf counts/],
  'progress.until': ['It is told from the answer of `restart` on until that is over.', /^groups\.progressOf tells|groups\.progressOf tells so$/],
  'progress.none': ['`undefined`: none is under way, or no such group.', /^groups\.(?:progressOf|restart answers false)/],
  'properties.right': ['Answers what is wrong with one that the runtime knows by name, exactly `undefined` when nothing is, and does not throw.', /^groups\.properties/],
  'properties.name': ['As it stands among the properties: `port`, and not `properties.port`.', /^groups\.properties.*by its name/],
  'properties.line': ['Goes on from the name, in one line: `must be a whole number, 1 to 65535`.', /^groups\.properties.*in one line/],
  'reasons.line': [
    'Why the last decision about a group was what it was, in one line that is not empty, for instance `2 services, as it should be` or `paused: lobby-1 died 5 times in a row`.',
    /^groups\.reasons/
  ],
  'reasons.none': ['`undefined`: no such group, or nothing was decided yet.', /^groups\.reasons/],
  'reasons.gone': ['What was decided about a group that is deleted is told no more, of another one of its name neither.', /^groups\.reasons\.of tells nothing/],
  'group.minimum': ['A group is kept at its `minOnlineService` at least and at its `maxOnlineService` at most;', /minimum|maximum|^any sequence/],
  'create.adds': ['Adds a group and starts looking after it.', /^groups\.create/],
  'create.listed': ['When it has answered the group is listed as it was given: no field of it and no entry of its `properties` is more or less;', /^groups\.create adds|^any sequence/],
  'create.false': ['`false`: there is a group of that name already, ignoring case, one that is being deleted included;', /^groups\.create (?:answers false|of the same name)/],
  'create.once': ['of many at once exactly one gets `true`.', /^groups\.create of many/],
  'edit.changes': ['Changes fields of a group;', /^groups\.edit/],
  'edit.effect': ['takes effect on the running group.', /^groups\.edit takes effect|^groups\.edit: a/],
  'edit.minimum': [
    'A higher minimum starts services, a lowered maximum ends what is above it, where players are on it perhaps when they have left;',
    /^groups\.edit: a/
  ],
  'edit.next-start': ['memory, templates, properties and the version of the platform reach a service with its next start at the latest.', /^groups\.edit: memory/],
  'edit.whole': ['`properties` and `templates` are replaced whole;', /^groups\.edit (?:replaces|of)/],
  'edit.answers': ['Answers the group as it is now;', /^groups\.edit (?:answers|of)/],
  'delete.gone': ['Stops all services of the group and removes it.', /^groups\.delete/],
  'delete.answers': ['Answers when no process of it is left and the group is gone;', /^groups\.delete/],
  'delete.no-start': ['no service of it starts from the first moment, one that is STOPPING for a restart neither.', /from the first moment|its group being deleted/],
  'delete.throws': ['When a stop fails it throws, the group stays listed, and calling again tries again;', /^groups\.delete throws/],
  'delete.joins': ['A second call while the group is still listed joins the first.', /^groups\.delete(?:: a second|.*its group being deleted)/],
  'delete.false': ['`false`: no such group.', /^groups\.edit and delete answer false|^groups\.delete.*gone/],
  'template.create': ['Adds an empty template.', /^templates\.create/],
  'template.taken': ['`false`: the name is taken, ignoring case.', /^templates\.create answers false/],
  'template.rename': ['Renames a template, in every group that uses it as well.', /^templates\.rename/],
  'template.rename-false': ['`false`: no template `name`;', /^templates\.rename and delete/],
  'template.rename-taken': ['that comes before `\'taken\'`: another has the new name, ignoring case.', /^templates\.rename answers taken/],
  'template.rename-own': ['Its own name is none of another.', /^templates\.rename (?:gives the same|renames it in every)/],
  'template.delete': ['Removes a template.', /^templates\.delete/],
  'template.in-use': ['`\'in-use\'`: a group uses it.', /^templates\.delete answers in-use/],
  'template.delete-false': ['`false`: no template of that name.', /^templates\.rename and delete/],
  'sample.percent': ['Percent of the whole machine, 0 to 100;', /^metrics\.sample answers percent/],
  'sample.megabytes': ['MB.', /^metrics\.sample answers percent/],
  'sample.runtime': ['For people: what the core runs on, for instance `Node.js v24.0.0`.', /^metrics\.sample answers percent/],
  'sample.uptime': ['Milliseconds since the core started: since this runtime was opened, or its process began;', /^metrics\.sample: the uptime/],
  'sample.uptime-anew': ['what was open before it in the same process does not count.', /^metrics\.sample: the uptime.*anew/],
  'terminal.refuses': ['False: unknown command or wrong arguments;', /^terminal\.execute does not accept/],
  'terminal.usage': ['`output` then says how it is used.', /^terminal\.execute does not accept/],
  'terminal.lines': ['Lines for the operator, at most 100,000 and 16,777,216 characters in all.', /^terminal\.execute answers/],
  'list.any-order': ['Something of which all can be listed, in any order.', everyLook]
} as const satisfies Promises

export type Sentence = keyof typeof sentences
