/**
 * The files of templates: the part of `CloudRuntime` that a runtime has whose templates are directories of files. What holds
 * for the other verbs (`types/runtime.ts`) holds for these. The interface checks names and paths before it calls, and reads and
 * writes archives itself: a runtime knows single files only.
 */
import type { MaybePromise } from './maybe-promise.js'
import type { TemplateFile } from './resources.js'

/** As everywhere in the contract of a runtime: aborted when nobody waits for the answer any more. */
export interface TemplateFileOptions {
  readonly signal: AbortSignal
}

/**
 * The files of all templates, those of the system included. A path is 1 to 32 names with `/` between them, at most 1,024 bytes of
 * UTF-8, 255 of them in a name; no name is `.` or `..`, and none has a control character or a `\`. Names and paths are looked up
 * exactly, case included. No path leads out of its template, whatever lies there: what is behind a link is not there.
 */
export interface TemplateFiles {
  /** Ordinary files only, at any depth, in any order; as an iterable no more is looked at than somebody takes. `false`: no such template. */
  list (template: string, options: TemplateFileOptions): MaybePromise<readonly TemplateFile[] | AsyncIterable<TemplateFile> | false>
  /** The same files with what is in them, all of one version of the template, whatever takes its place meanwhile. It is the one of the call or, at the latest, of the moment at which the first file is asked for. A single file that is put or deleted meanwhile is in it or not, whole. */
  readAll (template: string, options: TemplateFileOptions): MaybePromise<AsyncIterable<PackedFile> | false>
  /** `'no-file'`: nothing is there, or no ordinary file. `false`: no such template. */
  read (template: string, path: string, options: TemplateFileOptions): MaybePromise<TemplateContent | 'no-file' | false>
  /**
   * Takes files in, whole or not at all: when `files` throws, or `signal` aborts before the last of them is given, or anything fails, the
   * template is as it was; as long as they are being given nothing of them is seen, and from then on all of them, by whoever looks at any moment. Of many calls at once nothing is lost.
   * Directories are made as files need them. Of two files of one path the later wins, and they count as one. An empty file counts as any other. It answers when all is there, which takes as long as
   * `files` does; it asks for the next piece only when it has room for it. `replace`: the template then has these files and no others.
   */
  put (template: string, files: AsyncIterable<NewTemplateFile>, options: TemplatePutOptions): MaybePromise<TemplatePut>
  /** Removes a file, and the directories that are empty then. `'no-file'`: no ordinary file is there. `false`: no such template. */
  delete (template: string, path: string, options: TemplateFileOptions): MaybePromise<true | 'no-file' | false>
}

export interface TemplatePutOptions extends TemplateFileOptions {
  readonly replace: boolean
  /**
   * Throws where whoever sent the files may not have them taken in any more. What it promises is waited for. Asked by a runtime right before they are there, so that no
   * time is in between that somebody else can stretch; its failure is that of `put`. It was asked when `files` had ended as well, and may be asked again.
   */
  readonly permit?: () => MaybePromise<unknown>
  /** Says that a runtime which is at work for long once `files` has ended has got on: who waits for it gives it the time of a call (`runtimeTimeout`) anew. */
  readonly progress?: () => void
}

/** One file among all, read to its end before the next is asked for. */
export interface PackedFile extends TemplateFile {
  readonly content: AsyncIterable<Uint8Array>
}

/** What a file has in it. */
export interface TemplateContent extends Omit<TemplateFile, 'path'> {
  /** As many bytes as `size` says, of the file as it was when it was asked for. Whoever does not read it to its end calls `return` of its iterator. */
  readonly content: AsyncIterable<Uint8Array>
}

/** A file on its way into a template. */
export interface NewTemplateFile {
  readonly path: string
  /** Four octal digits, the first one 0. Absent: that of the file that it replaces, else `0644`. */
  readonly mode?: string
  /** Read once, and to its end before the next file is asked for. */
  readonly content: AsyncIterable<Uint8Array>
}

/**
 * What became of files that were to be taken in: how many are new, and how many took the place of one that was there; or the path of
 * one that cannot be there, any of them where they are several: `blocked`, a part of it is a file, or it is a directory; `case`, another
 * name differs from a part of it in case only. That is looked for among what is given and, without `replace`, what is there.
 * `many`: with it there are more files and directories, or longer names, than a runtime takes at once. `crowded`: with it there are more names in one directory than a runtime takes there. `'full'`: there is not enough room for them. `false`: no such template, or it was deleted before the last file was given.
 */
export type TemplatePut =
  | { readonly added: number, readonly replaced: number }
  | { readonly refused: string, readonly why: 'blocked' | 'case' | 'many' | 'crowded' }
  | 'full'
  | false
