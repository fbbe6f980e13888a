/** One file of a template: a text is edited here, anything else is downloaded. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TemplateFile } from '../../../../types/resources.js'
import { Refusal, ask, cloud, sentenceOf } from '../cloud.js'
import { type Draft, draftOf, keep } from '../files/drafts.js'
import { linkToFile } from '../files/send.js'
import { type Words, bytesOf, longestText, unseenIn, wordsIn } from '../files/words.js'
import { Action } from '../parts/action.js'
import { announce } from '../parts/announce.js'
import { Confirm } from '../parts/confirm.js'
import { Download } from '../parts/download.js'
import { useAsked } from '../parts/pending.js'
import { bytes, counted, dateOf, plain, plainName } from '../parts/text.js'
import { Empty, Failed, View, Waiting } from '../parts/view.js'
import { holds } from '../session.js'
import { go, linkTo } from '../router.js'
import { Within } from './template.js'
import { Conflict } from './template-conflict.js'

interface Place {
  readonly template: string
  readonly path: string
}

const paramsOf = ({ template, path }: Place) => ({ params: { path: { templateName: template, path } } })

/** The text as the server has it now; undefined where it is none. */
async function read (place: Place): Promise<Words | undefined> {
  const content = await ask<unknown>(cloud.GET('/template/{templateName}/file/{path}', { ...paramsOf(place), parseAs: 'arrayBuffer' }))
  return wordsIn(content as ArrayBuffer)
}

interface Known {
  readonly file: TemplateFile
  readonly words: Words | undefined
}

export function TemplateFileView (place: Place) {
  const { template, path } = place
  const { value, error, again } = useAsked<Known | 'none'>(async () => {
    const { data } = await ask(cloud.GET('/template/{templateName}/files', { params: { path: { templateName: template } } }))
    const file = data.find(one => one.path === path)
    if (file === undefined) return 'none'
    return { file, words: file.size > longestText ? undefined : await read(place) }
  }, `${template}/${path}`)
  const names = path.split('/')
  const title = plainName(names.at(-1) ?? path)
  const within = <Within template={template} directories={names.slice(0, -1)} />
  const above = linkTo('templates', template, ...(names.length > 1 ? ['files', ...names.slice(0, -1)] : []))
  if (value === undefined) return <View title={title} within={within}>{error === undefined ? <Waiting /> : <Failed error={error} onAgain={again} />}</View>
  const draft = draftOf(template, path)
  if (value === 'none') {
    return (
      <View title={title} within={within}>
        {draft === undefined
          ? <Empty>There is no such file any more. <a href={above}>What else is there</a></Empty>
          : <Editor place={place} mode={undefined} words={draft.base} onSaved={again} isGone />}
      </View>
    )
  }
  const { file, words } = value
  return (
    <View
      title={title} within={within} mark={<span class='soft'>{bytes(file.size)}, {dateOf(file.modifiedAt)}, <span class='mono'>{plain(file.mode)}</span></span>}
      actions={(
        <>
          <Download href={linkToFile(template, path)} />
          {holds('template.files.write') && (
            <Confirm
              title={`Delete ${title}`} submit='Delete the file' done={`${title} deleted`} question={`Services that run keep what was laid. ${draft === undefined ? '' : 'What you changed and have not saved is lost as well. '}This cannot be taken back.`}
              onRun={async () => {
                await ask(cloud.DELETE('/template/{templateName}/file/{path}', paramsOf(place)))
                keep(template, path, undefined)
                location.hash = above
              }}
            >Delete
            </Confirm>
          )}
        </>
      )}
    >
      {words === undefined
        ? <Empty>{file.size > longestText ? `Texts of up to ${bytes(longestText)} are edited here; this file has ${bytes(file.size)}.` : 'This file is no text.'} Download it, change it, and upload it again under its name.</Empty>
        : <Editor place={place} mode={file.mode} words={words} onSaved={again} />}
    </View>
  )
}

interface EditorProps {
  readonly place: Place
  readonly mode: string | undefined
  readonly words: Words
  readonly onSaved: () => void
  /** It is not there any more; what was changed still is. */
  readonly isGone?: boolean
}

function Editor ({ place, mode, words, onSaved, isGone = false }: EditorProps) {
  const { template, path } = place
  const mayWrite = holds('template.files.write')
  const [{ base, text }, setDraft] = useState<Draft>(() => draftOf(template, path) ?? { base: words, text: words.text })
  /** What somebody else has made of it: null where it is gone. */
  const [theirs, setTheirs] = useState<Words | null>()
  const isDirty = isGone || text !== base.text
  const unseen = useUnseen(text)
  const isSaving = useRef(false)

  function change (next: Draft): void {
    setDraft(next)
    keep(template, path, next)
  }

  async function write (): Promise<void> {
    // A copy: somebody may go on typing meanwhile.
    const written = { ...base, isMixed: false, text }
    await ask(cloud.PUT('/template/{templateName}/file/{path}', {
      params: { path: { templateName: template, path }, query: { ...(mode !== undefined && { mode }) } },
      body: bytesOf(text, base.ends) as unknown as string,
      bodySerializer: body => body,
      headers: { 'content-type': 'application/octet-stream' }
    }))
    setTheirs(undefined)
    setDraft(now => {
      const next = { base: written, text: now.text }
      keep(template, path, next)
      return next
    })
    announce('Saved')
    onSaved()
  }

  /** The interface writes whatever is there: that nobody else has changed it is looked at just before. */
  async function save (): Promise<void> {
    // Pressed twice, the second would take what the first has saved for somebody else's.
    if (!isDirty || isSaving.current) return
    isSaving.current = true
    try {
      const now = await read(place).catch((error: unknown) => {
        if (error instanceof Refusal && error.code === 'template_file_not_found') return null
        throw error
      })
      const isAsItWas = now === null ? isGone : now?.text === base.text && now.ends === base.ends && now.isMixed === base.isMixed
      if (isAsItWas) await write()
      else setTheirs(now ?? null)
    } finally {
      isSaving.current = false
    }
  }

  return (
    <section aria-label='Text'>
      <Editing text={text} label={`Text of ${plain(path)}`} isReadOnly={!mayWrite} onText={next => { change({ base, text: next }) }} onSave={save} />
      {unseen !== undefined && <p class='hint said-of'>{counted(unseen.count, 'character')} in it {unseen.count === 1 ? 'leaves' : 'leave'} no mark or {unseen.count === 1 ? 'moves' : 'move'} others, the first in line {unseen.line}.</p>}
      {base.isMixed && mayWrite && <p class='hint said-of'>Its lines end in several ways. Saved from here, all end in LF.</p>}
      {isGone && <p class='error said-of'>Somebody has deleted this file. Saving makes it again.</p>}
      {mayWrite && (
        <div class='buttons'>
          <Action kind='main' isOff={!isDirty} onRun={save}>Save</Action>
          {isDirty && !isGone && <Action asks={{ title: 'Undo all changes?', question: 'What you changed here since it was saved last is lost.', submit: 'Undo them' }} onRun={async () => { change({ base, text: base.text }) }}>Undo all changes</Action>}
          <span class='soft' role='status'>{isDirty ? 'Not saved' : ''}</span>
          <span class='soft'>{base.ends === 'crlf' ? 'Lines end in CRLF' : ''}</span>
        </div>
      )}
      {theirs !== undefined && (
        <Conflict
          mine={text} theirs={theirs} onClose={() => { setTheirs(undefined) }} onWrite={write} onTheirs={() => {
            setTheirs(undefined)
            if (theirs !== null) {
              change({ base: theirs, text: theirs.text })
              return
            }
            keep(template, path, undefined)
            go('templates', template)
          }}
        />
      )}
    </section>
  )
}

/** Looked for when the typing pauses: a text may be long. */
function useUnseen (text: string): ReturnType<typeof unseenIn> {
  const [unseen, setUnseen] = useState(() => unseenIn(text))
  useEffect(() => {
    const timer = setTimeout(() => { setUnseen(unseenIn(text)) }, 300)
    return () => { clearTimeout(timer) }
  }, [text])
  return unseen
}

interface EditingProps {
  readonly text: string
  readonly label: string
  readonly isReadOnly: boolean
  readonly onText: (text: string) => void
  readonly onSave: () => Promise<void>
}

function Editing ({ text, label, isReadOnly, onText, onSave }: EditingProps) {
  const [error, setError] = useState<string>()
  useEffect(() => { setError(undefined) }, [text])
  return (
    <>
      <textarea
        class='editor' aria-label={label} wrap='off' rows={24} spellcheck={false} autocapitalize='none' autocomplete='off' readOnly={isReadOnly} value={text}
        onInput={event => { onText(event.currentTarget.value) }}
        onKeyDown={event => {
          if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          onSave().catch((failure: unknown) => { setError(sentenceOf(failure)) })
        }}
      />
      {error !== undefined && <p class='error' role='alert'>{error}</p>}
    </>
  )
}
