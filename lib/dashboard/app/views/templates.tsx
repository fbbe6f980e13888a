/** Templates: all of them, the files of one, one of its files. */
import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import type { Template } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { mayList, useItems } from '../live.js'
import { allowedForDirectories } from '../parts/allowed.js'
import { Confirm } from '../parts/confirm.js'
import { Dialog } from '../parts/dialog.js'
import { Form } from '../parts/form.js'
import { type Column, Table } from '../parts/table.js'
import { plain } from '../parts/text.js'
import { Unknown } from '../parts/usage.js'
import { Empty, View, Waiting } from '../parts/view.js'
import { holds } from '../session.js'
import { linkTo } from '../router.js'
import { TemplateFileView } from './template-file.js'
import { useOf } from './template-names.js'
import { TemplateView } from './template.js'

export function Templates ({ parts: [template, kind, ...names] }: { readonly parts: readonly string[] }) {
  if (template === undefined || !holds('template.files.read')) return <List />
  if (kind === 'file' && names.length > 0) return <TemplateFileView template={template} path={names.join('/')} />
  return <TemplateView name={template} directory={kind === 'files' ? names.join('/') : ''} />
}

/** A runtime that does not measure templates says `unknown` of each; their files tell how large they are. */
const isMeasured = ({ size }: Template): boolean => size !== 'unknown'

/** By name: who uses each, new ones, renaming, deleting. */
function List () {
  const templates = useItems('templates')
  const groups = useItems('groups')
  const [isOpen, setIsOpen] = useState(false)
  const [renamed, setRenamed] = useState<string>()
  const close = (): void => {
    setIsOpen(false)
    setRenamed(undefined)
  }
  const usersOf = (name: string): readonly string[] => groups?.filter(group => group.templates.includes(name)).map(group => group.name) ?? []
  return (
    <View title='Templates' actions={holds('templates.create') && <button type='button' class='main' onClick={() => { setIsOpen(true) }}>New template</button>}>
      <div class='sheet'>
        {templates === undefined
          ? <Waiting />
          : templates.length === 0
            ? <Empty>There is no template. A template is a set of files that is laid into services when they start.</Empty>
            : (
              <Table<Template>
                caption='Templates' items={templates} keyOf={({ name }) => name}
                columns={[
                  { title: 'Name', show: ({ name }) => holds('template.files.read') ? <a class='foreign' href={linkTo('templates', name)}><Name name={name} /></a> : <span class='foreign'><Name name={name} /></span> },
                  { title: 'Laid into', kind: 'grow', show: ({ name }) => useOf(name) !== undefined ? <span class='soft'>{useOf(name)}</span> : mayList('groups') && <Users names={usersOf(name)} /> },
                  ...(templates.some(isMeasured) ? [{ title: 'Size', kind: 'figure roomy', show: one => isMeasured(one) ? <span class='foreign'>{plain(one.size)}</span> : <Unknown /> } satisfies Column<Template>] : []),
                  {
                    title: '',
                    kind: 'actions',
                    show: ({ name }) => useOf(name) === undefined && (
                      <>
                        {holds('templates.edit') && <button type='button' aria-label={`Rename ${plain(name)}`} onClick={() => { setRenamed(name) }}>Rename</button>}
                        {holds('templates.delete') && (
                          <Confirm
                            title={`Delete ${plain(name)}`} label={`Delete ${plain(name)}`} submit='Delete the template' typed={name} done='Template deleted' question='Its files are deleted. Services that run keep what was laid.'
                            onRun={() => ask(cloud.DELETE('/template/{templateName}', { params: { path: { templateName: name } } }))}
                          >Delete
                          </Confirm>
                        )}
                      </>
                    )
                  }
                ]}
              />
              )}
      </div>
      {isOpen && (
        <Dialog title='New template' onClose={close}>
          <Form
            fields={[{ name: 'name', label: 'Name', isFocused: true, isWide: true, allowed: allowedForDirectories, hint: 'It is empty at first.' }]} submit='Create template' done='Template created'
            onSubmit={async ({ name }) => {
              await ask(cloud.POST('/template/', { body: { name: String(name) } }))
              close()
            }}
          />
        </Dialog>
      )}
      {renamed !== undefined && (
        <Dialog title={`Rename ${plain(renamed)}`} onClose={close}>
          <Form
            fields={[{ name: 'name', label: 'New name', isFocused: true, isWide: true, allowed: allowedForDirectories, hint: 'Groups that use it go along.' }]} initial={{ name: renamed }} submit='Rename' done='Template renamed'
            onSubmit={async ({ name }) => {
              await ask(cloud.PATCH('/template/{templateName}', { params: { path: { templateName: renamed } }, body: { name: String(name) } }))
              close()
            }}
          />
        </Dialog>
      )}
    </View>
  )
}

/** Where there is little room it is broken behind an underscore. */
const Name = ({ name }: { readonly name: string }) => <>{plain(name).split('_').map((word, at) => <Fragment key={at}>{at > 0 && <>_<wbr /></>}{word}</Fragment>)}</>

const Users = ({ names }: { readonly names: readonly string[] }) => names.length === 0
  ? <span class='soft'>no group</span>
  : <>{names.map((name, at) => <span key={name}>{at > 0 && ', '}<a class='foreign' href={linkTo('groups', name)}>{plain(name)}</a></span>)}</>
