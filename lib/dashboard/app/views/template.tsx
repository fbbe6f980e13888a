/** The files of one template: a directory at a time; what is dropped on it goes in. */
import type { ComponentChildren } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import type { TemplateFile } from '../../../../types/resources.js'
import { ask, cloud, sentenceOf } from '../cloud.js'
import { drafts } from '../files/drafts.js'
import { type Dropped, isArchive } from '../files/dropped.js'
import { linkToArchive, linkToFile } from '../files/send.js'
import { type Entry, entriesIn, entriesLike } from '../files/tree.js'
import { add, arrivals, pathsOf } from '../files/uploads.js'
import { useItems } from '../live.js'
import { Confirm } from '../parts/confirm.js'
import { Download } from '../parts/download.js'
import { useNarrow } from '../parts/narrow.js'
import { useAsked, useNow } from '../parts/pending.js'
import { type Column, Table } from '../parts/table.js'
import { ago, bytes, counted, plain, plainName } from '../parts/text.js'
import { Empty, Failed, View, Waiting } from '../parts/view.js'
import { holds } from '../session.js'
import { linkTo } from '../router.js'
import { useStore } from '../store.js'
import { Drop } from './template-drop.js'
import { useOf } from './template-names.js'
import { NewFile, Replacing, Unpacking } from './template-dialogs.js'
import { Uploads } from './template-uploads.js'

export interface Listing {
  readonly files: readonly TemplateFile[]
  readonly again: () => void
}

/** Nothing tells of a single file that somebody else has changed. */
const everyMs = 5_000

const isSame = (one: readonly TemplateFile[], other: readonly TemplateFile[]): boolean => one.length === other.length &&
  one.every(({ path, size, modifiedAt, mode }, at) => other[at]?.path === path && other[at].size === size && other[at].modifiedAt === modifiedAt && other[at].mode === mode)

/** Asks for the files; anew now and then, when the size of the template changes, and when something has come in from here. */
export function useFiles (template: string) {
  const size = useItems('templates')?.find(({ name }) => name === template)?.size
  const known = useRef<readonly TemplateFile[]>([])
  return useAsked(async () => {
    const { data } = await ask(cloud.GET('/template/{templateName}/files', { params: { path: { templateName: template } } }))
    // There may be a hundred thousand: the same ones are not sorted, and drawn, again.
    if (!isSame(known.current, data)) known.current = data
    return known.current
  }, `${template} ${size} ${useStore(arrivals)}`, everyMs)
}

/** Where something is: each directory above it is a link. */
export const Within = ({ template, directories }: { readonly template: string, readonly directories: readonly string[] }) => (
  <>
    <a href={linkTo('templates')}>Templates</a>
    {[template, ...directories].map((name, at) => (
      <span key={at}> / <a class='foreign' href={linkTo('templates', template, ...(at === 0 ? [] : ['files', ...directories.slice(0, at)]))}>{plainName(name)}</a></span>
    ))}
  </>
)

export function TemplateView ({ name, directory }: { readonly name: string, readonly directory: string }) {
  const { value: files, error, again } = useFiles(name)
  const names = directory === '' ? [] : directory.split('/')
  const title = plain(names.at(-1) ?? name)
  const within = directory === '' ? <a href={linkTo('templates')}>Templates</a> : <Within template={name} directories={names.slice(0, -1)} />
  if (files === undefined) return <View title={title} within={within}>{error === undefined ? <Waiting /> : <Failed error={error} onAgain={again} />}</View>
  return <Files template={name} directory={directory} title={title} within={within} listing={{ files, again }} />
}

interface FilesProps {
  readonly template: string
  readonly directory: string
  readonly title: string
  readonly within: ComponentChildren
  readonly listing: Listing
}

function Files ({ template, directory, title, within, listing: { files, again } }: FilesProps) {
  const [search, setSearch] = useState('')
  const [open, setOpen] = useState<{ readonly kind: 'new' } | { readonly kind: 'archive', readonly body?: File } | { readonly kind: 'replace', readonly given: readonly Dropped[] }>()
  const mayWrite = holds('template.files.write')
  const entries = useMemo(() => search === '' ? entriesIn(files, directory) : entriesLike(files, search), [files, directory, search])
  const below = files.filter(({ path }) => directory === '' || path.startsWith(`${directory}/`))

  /** Whatever would take the place of something is asked about. */
  function take (dropped: readonly Dropped[], isPlain = false): void {
    const [only] = dropped
    if (only !== undefined && dropped.length === 1 && isArchive(only.path) && !isPlain) {
      setOpen({ kind: 'archive', body: only.body })
      return
    }
    const given = dropped.map(({ path, body }) => ({ path: directory === '' ? path : `${directory}/${path}`, body }))
    const known = new Set([...files.map(({ path }) => path), ...pathsOf(template)])
    if (given.some(({ path }) => known.has(path))) setOpen({ kind: 'replace', given })
    else add(template, given)
  }

  const close = (): void => { setOpen(undefined) }
  return (
    <View
      title={title} within={within} mark={<span class='soft'>{counted(below.length, 'file')}, {bytes(below.reduce((sum, { size }) => sum + size, 0))}</span>}
      actions={(
        <>
          {mayWrite && <button type='button' onClick={() => { setOpen({ kind: 'new' }) }}>New file</button>}
          {mayWrite && <button type='button' onClick={() => { setOpen({ kind: 'archive' }) }}>Unpack an archive</button>}
          {files.length > 0 && <Download href={linkToArchive(template)} words='Download all' />}
        </>
      )}
    >
      {directory === '' && <Laid template={template} />}
      {mayWrite && <Uploads template={template} />}
      <Drop isOn={mayWrite} onFiles={take}>
        {files.length > 10 && <div class='filter'><input type='search' aria-label='Search in all files of the template' placeholder='Search in all files' value={search} onInput={event => { setSearch(event.currentTarget.value) }} /></div>}
        {entries.length === 0
          ? <Empty>{search !== '' ? 'No file is called like that.' : directory === '' ? <>This template is empty.{mayWrite && ' Drop files or folders here, or unpack an archive.'}</> : 'Nothing is in this folder any more.'}</Empty>
          : <List template={template} files={files} entries={entries} again={again} />}
      </Drop>
      {open?.kind === 'new' && <NewFile template={template} directory={directory} files={files} onClose={close} />}
      {open?.kind === 'archive' && (
        <Unpacking
          template={template} body={open.body} there={files.length} onClose={close} onAsFile={body => {
            close()
            take([{ path: body.name, body }], true)
          }}
        />
      )}
      {open?.kind === 'replace' && <Replacing template={template} given={open.given} known={[...files.map(({ path }) => path), ...pathsOf(template)]} onClose={close} />}
    </View>
  )
}

/** Who gets these files, and when. */
function Laid ({ template }: { readonly template: string }) {
  const groups = useItems('groups')?.filter(({ templates }) => templates.includes(template))
  const whose = useOf(template)
  return (
    <p class='soft'>
      {whose === undefined ? 'Services get what is here with their next start.' : `Laid into ${whose}, with its next start.`}
      {whose === undefined && groups?.length === 0 && ' No group has this template yet.'}
      {groups !== undefined && groups.length > 0 && <> Laid into {groups.map(({ name }, at) => <span key={name}>{at > 0 && ', '}<a class='foreign' href={linkTo('groups', name)}>{plainName(name)}</a></span>)}.</>}
    </p>
  )
}

function List ({ template, files, entries, again }: { readonly template: string, readonly files: readonly TemplateFile[], readonly entries: readonly Entry[], readonly again: () => void }) {
  const now = useNow(30_000)
  const unsaved = useStore(drafts)
  const isNarrow = useNarrow()
  const remove = async (path: string): Promise<void> => { await ask(cloud.DELETE('/template/{templateName}/file/{path}', { params: { path: { templateName: template, path } } })) }
  const [removed, setRemoved] = useState<{ readonly done: number, readonly total: number }>()
  /** The interface deletes a file at a time. */
  async function removeAll (directory: string): Promise<void> {
    const all = files.filter(({ path }) => path.startsWith(`${directory}/`))
    let gone = 0
    try {
      for (const { path } of all) {
        setRemoved({ done: gone, total: all.length })
        await remove(path)
        gone++
      }
    } catch (error) {
      throw new Error(`${gone} of ${counted(all.length, 'file')} deleted, then: ${sentenceOf(error)}`)
    } finally {
      setRemoved(undefined)
      again()
    }
  }
  return (
    <Table<Entry>
      caption='Files' items={entries} keyOf={({ path, file }) => `${file === undefined ? 'directory' : 'file'} ${path}`}
      columns={[
        {
          title: 'Name',
          kind: 'grow',
          show: ({ name, path, file, files: count }) => file === undefined
            ? <><a class='foreign' href={linkTo('templates', template, 'files', ...path.split('/'))}>{plainName(name)}/</a> <span class='soft count'>{counted(count, 'file')}</span></>
            : <><a class='foreign' href={linkTo('templates', template, 'file', ...path.split('/'))}>{plainName(name)}</a>{unsaved.has(`${template}/${path}`) && <> <span class='tag'>not saved</span></>}</>
        },
        { title: 'Size', kind: 'figure', show: ({ size }) => bytes(size) },
        { title: 'Changed', kind: 'roomy', show: ({ modifiedAt }) => <span class='soft'>{ago(modifiedAt, now)}</span> },
        ...(isNarrow ? [{ title: 'File', kind: 'roomy', show: ({ path, file }) => file !== undefined && <Download href={linkToFile(template, path)} label={`Download ${plainName(path)}`} isSmall /> } satisfies Column<Entry>] : []),
        { title: 'Mode', kind: 'roomy', show: ({ file }) => file !== undefined && <span class='soft mono'>{plain(file.mode)}</span> },
        {
          title: '',
          kind: 'actions',
          show: ({ name, path, file, files: count }) => (
            <>
              {file !== undefined && !isNarrow && <Download href={linkToFile(template, path)} label={`Download ${plainName(name)}`} isSmall />}
              {holds('template.files.write') && (
                <Confirm
                  title={`Delete ${plainName(name)}`} label={`Delete ${plainName(name)}`} submit={file === undefined ? `Delete ${counted(count, 'file')}` : 'Delete the file'} done={`${plainName(name)} deleted`}
                  question={file !== undefined
                    ? 'Services that run keep what was laid. This cannot be taken back.'
                    : removed === undefined
                      ? `The folder has ${counted(count, 'file')}. They are deleted one after the other, and cannot be had back.`
                      : <span class='progress'><progress aria-label='How many are deleted' value={removed.done} max={removed.total} /> {removed.done} of {counted(removed.total, 'file')} deleted</span>} {...(file === undefined && { typed: name })}
                    onRun={async () => {
                      if (file === undefined) await removeAll(path)
                      else await remove(path).finally(again)
                    }}
                >Delete
                </Confirm>
              )}
            </>
          )
        }
      ]}
    />
  )
}
