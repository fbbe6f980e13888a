/** What `types/template-files.ts` promises, sentence by sentence and in its own words, each with the cases that try it, by their titles. */
import type { Promises } from '../suite.js'

const looked = /^templates\.files: list, read, put and delete (?:answer false|look)/
const whole = /^templates\.files\.put (?:leaves the template as it was|is there whole)|whole or not at all/

export const fileSentences = {
  'files.system': ['The files of all templates, those of the system included.', /^templates\.files(?:\.list answers the files of every template|: each template)/],
  'files.paths': ['A path is 1 to 32 names with `/` between them, at most 1,024 bytes of UTF-8, 255 of them in a name;', /whatever its path/],
  'files.exact': ['Names and paths are looked up exactly, case included.', looked],
  'files.one-version': ['The same files with what is in them, all of one version of the template, whatever takes its place meanwhile.', /^templates\.files\.readAll/],
  'files.single': ['A single file that is put or deleted meanwhile is in it or not, whole.', /^templates\.files\.readAll gives what is deleted or put meanwhile/],
  'files.permit': ['Throws where whoever sent the files may not have them taken in any more.', /^templates\.files\.put takes in nothing when whoever/],
  'files.permit-promised': ['What it promises is waited for.', /^templates\.files\.put waits for a permit/],
  'files.permit-fails': ['its failure is that of `put`.', /^templates\.files\.put takes in nothing when whoever/],
  'files.list': ['Ordinary files only, at any depth, in any order;', /^templates\.files\.(?:put adds|list)/],
  'files.no-template': ['`false`: no such template.', looked],
  'files.no-file': ['`\'no-file\'`: nothing is there, or no ordinary file.', /^templates\.files\.delete removes a file, and answers/],
  'files.whole': [
    'Takes files in, whole or not at all: when `files` throws, or `signal` aborts before the last of them is given, or anything fails, the template is as it was;',
    whole
  ],
  'files.unseen': ['as long as they are being given nothing of them is seen, and from then on all of them, by whoever looks at any moment.', /^templates\.files\.put shows nothing|is seen whole or not at all/],
  'files.at-once': ['Of many calls at once nothing is lost.', /^templates\.files\.put of many at once/],
  'files.directories': ['Directories are made as files need them.', /^templates\.files\.(?:put adds|delete removes)/],
  'files.later': ['Of two files of one path the later wins, and they count as one.', /^templates\.files\.put of two files of one path/],
  'files.empty': ['An empty file counts as any other.', /^templates\.files\.put counts an empty file/],
  'files.deleted': ['`false`: no such template, or it was deleted before the last file was given.', /^templates\.files\.put of a template that is (?:deleted|renamed)/],
  'files.answers': ['It answers when all is there, which takes as long as `files` does;', /^templates\.files\.put (?:adds|shows nothing)/],
  'files.replace': ['`replace`: the template then has these files and no others.', /^templates\.files\.put with replace/],
  'files.delete': ['Removes a file, and the directories that are empty then.', /^templates\.files\.delete removes/],
  'files.no-ordinary': ['`\'no-file\'`: no ordinary file is there.', /^templates\.files\.delete removes a file, and answers/],
  'files.content': ['As many bytes as `size` says, of the file as it was when it was asked for.', /^templates\.files\.read/],
  'files.mode': ['Four octal digits, the first one 0.', /rights/],
  'files.mode-absent': ['Absent: that of the file that it replaces, else `0644`.', /rights/],
  'files.read-once': ['Read once, and to its end before the next file is asked for.', /^templates\.files\.put reads/],
  'files.outcome': [
    'What became of files that were to be taken in: how many are new, and how many took the place of one that was there;',
    /^templates\.files\.put (?:adds|replaces|with replace)/
  ],
  'files.refused': [
    'or the path of one that cannot be there, any of them where they are several: `blocked`, a part of it is a file, or it is a directory;',
    /^templates\.files\.put refuses a path/
  ],
  'files.case': ['`case`, another name differs from a part of it in case only.', /^templates\.files\.put refuses a name/],
  'files.among': ['That is looked for among what is given and, without `replace`, what is there.', /^templates\.files\.put refuses (?:what|\S+, by its name, where)|^templates\.files\.put with replace/]
} as const satisfies Promises
