/** What is asked before something comes into a template. */
import { useState } from 'preact/hooks'
import type { TemplateFile } from '../../../../types/resources.js'
import { Refusal, ask, cloud } from '../cloud.js'
import { type Dropped, isArchive } from '../files/dropped.js'
import { add } from '../files/uploads.js'
import { Dialog } from '../parts/dialog.js'
import { Form } from '../parts/form.js'
import { bytes, counted, plain } from '../parts/text.js'
import { go } from '../router.js'

interface NewFileProps {
  readonly template: string
  readonly directory: string
  readonly files: readonly TemplateFile[]
  readonly onClose: () => void
}

export function NewFile ({ template, directory, files, onClose }: NewFileProps) {
  return (
    <Dialog title='New file' onClose={onClose}>
      <Form
        fields={[{ name: 'path', label: 'Name', says: ['file'], isFocused: true, isWide: true, hint: 'With / for folders: plugins/settings.yml. It is empty at first.' }]} submit='Create file' done='File created'
        onSubmit={async values => {
          const path = (directory === '' ? '' : `${directory}/`) + String(values['path']).trim().replace(/^\/+/, '')
          if (files.some(file => file.path === path)) throw new Refusal(0, 'there', 'A file of that name is there already')
          await ask(cloud.PUT('/template/{templateName}/file/{path}', { params: { path: { templateName: template, path } }, body: '', bodySerializer: body => body, headers: { 'content-type': 'application/octet-stream' } }))
          onClose()
          go('templates', template, 'file', ...path.split('/'))
        }}
      />
    </Dialog>
  )
}

const mostNamed = 8

interface ReplacingProps {
  readonly template: string
  readonly given: readonly Dropped[]
  /** Paths that are there. */
  readonly known: readonly string[]
  readonly onClose: () => void
}

export function Replacing ({ template, given, known, onClose }: ReplacingProps) {
  const all = new Set(known)
  const there = given.filter(({ path }) => all.has(path))
  const others = given.filter(({ path }) => !all.has(path))
  const take = (some: readonly Dropped[]): void => {
    add(template, some)
    onClose()
  }
  return (
    <Dialog title={`Replace ${counted(there.length, 'file')}?`} onClose={onClose}>
      <p>{there.length === 1 ? 'It is' : 'They are'} in the template already, and what is there now is lost:</p>
      <ul class='names'>
        {there.slice(0, mostNamed).map(({ path }) => <li key={path} class='mono foreign'>{plain(path)}</li>)}
        {there.length > mostNamed && <li class='soft'>and {there.length - mostNamed} more</li>}
      </ul>
      <div class='buttons'>
        <button type='button' class='danger' onClick={() => { take(given) }}>Replace {there.length === 1 ? 'it' : 'them'}</button>
        {others.length > 0 && <button type='button' onClick={() => { take(others) }}>Only the other {counted(others.length, 'file')}</button>}
        <button type='button' onClick={onClose}>Cancel</button>
      </div>
    </Dialog>
  )
}

interface UnpackingProps {
  readonly template: string
  /** What was dropped already. */
  readonly body: File | undefined
  /** Files that are in the template. */
  readonly there: number
  readonly onClose: () => void
  readonly onAsFile: (body: File) => void
}

export function Unpacking ({ template, body, there, onClose, onAsFile }: UnpackingProps) {
  const [chosen, setChosen] = useState(body)
  const [isReplacing, setIsReplacing] = useState(false)
  const isReady = chosen !== undefined && isArchive(chosen.name)
  function run (event: Event): void {
    event.preventDefault()
    if (!isReady) return
    add(template, [{ path: chosen.name, body: chosen, archive: { isReplacing } }])
    onClose()
  }
  return (
    <Dialog title='Unpack an archive' onClose={onClose}>
      <form onSubmit={run}>
        <div class='field wide'>
          {body === undefined
            ? <><label for='archive'>Archive (.tar.gz)</label><input id='archive' type='file' accept='.tar.gz,.tgz,application/gzip' onChange={event => { setChosen(event.currentTarget.files?.[0]) }} /></>
            : <p><span class='mono foreign'>{plain(body.name)}</span> <span class='soft'>{bytes(body.size)}</span></p>}
          {chosen !== undefined && !isReady && <span class='error' role='alert'>Only a .tar.gz is unpacked. <span class='foreign'>{plain(chosen.name)}</span> is none by its name.</span>}
        </div>
        <fieldset class='field wide'>
          <legend>Its files come</legend>
          <label class='check'><input type='radio' name='how' checked={!isReplacing} onChange={() => { setIsReplacing(false) }} /><span>beside those that are there<span class='hint'>What has the same name is replaced.</span></span></label>
          <label class='check'><input type='radio' name='how' checked={isReplacing} onChange={() => { setIsReplacing(true) }} /><span>instead of those that are there<span class='hint'>{there === 0 ? 'The template is empty now.' : `${counted(there, 'file')} ${there === 1 ? 'is' : 'are'} there now: what the archive does not have is lost.`}</span></span></label>
        </fieldset>
        <div class='buttons'>
          <button type='submit' class={isReplacing && there > 0 ? 'danger' : 'main'} aria-disabled={!isReady}>{isReplacing && there > 0 ? 'Replace all files' : 'Unpack'}</button>
          {body !== undefined && <button type='button' onClick={() => { onAsFile(body) }}>Keep it packed</button>}
          <button type='button' onClick={onClose}>Cancel</button>
        </div>
      </form>
    </Dialog>
  )
}
