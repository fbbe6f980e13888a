/** Makes a group, or changes one. */
import { useRef, useState } from 'preact/hooks'
import type { Group, Platform, PropertyValue } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { mayList, useItems } from '../live.js'
import { allowedForDirectories } from '../parts/allowed.js'
import { type FieldForm, numberIn } from '../parts/field.js'
import { FieldError, Form, type Values } from '../parts/form.js'
import { plain } from '../parts/text.js'
import { Empty, View, Waiting } from '../parts/view.js'
import { go, linkTo } from '../router.js'
import { holdUnsaved } from '../unsaved.js'

/** Laid into services by what they are, whatever a group names. */
const ofTheSystem = /^EVERY(?:_|$)/

const limits: readonly FieldForm[] = [
  { name: 'minOnlineService', label: 'Services at least', type: 'number', isThird: true },
  { name: 'maxOnlineService', label: 'Services at most', type: 'number', isThird: true },
  { name: 'percentageToStartNewService', label: 'One more starts at', type: 'number', isThird: true, unit: '% full', says: ['percentage'] },
  { name: 'minMemory', label: 'Memory at start', type: 'number', unit: 'MB' },
  { name: 'maxMemory', label: 'Memory at most', type: 'number', unit: 'MB' }
]
const kinds: readonly FieldForm[] = [
  { name: 'fallback', label: 'Fallback: players land here when they join, or lose their server', type: 'check' },
  { name: 'static', label: 'Static: services keep their files over a restart', type: 'check' },
  { name: 'properties', label: 'More properties', type: 'lines', hint: 'One a line: name=value' }
]

const templatesOf = (names: readonly string[]): FieldForm =>
  ({ name: 'templates', label: 'Templates', type: 'several', choices: names.map(name => ({ value: name, label: plain(name) })), hint: 'Laid in the order in which they are chosen; later files win' })

const boxes = ['fallback', 'static']
const lineOf = (key: string, value: PropertyValue): string => `${key}=${String(value)}`

function partsOf (line: string): readonly [key: string, text: string] | undefined {
  const at = line.indexOf('=')
  return at < 1 ? undefined : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
}

/** Whether a property can be written as a line, and is the same when that is read again; what cannot stays as it is. */
function isLine (key: string, value: PropertyValue): boolean {
  const [own, text] = partsOf(lineOf(key, value)) ?? []
  return own === key && text === String(value) && !/[\r\n]/.test(key + text)
}

function linesOf (properties: Group['properties']): string {
  return Object.entries(properties).filter(([key, value]) => !boxes.includes(key) && isLine(key, value)).map(([key, value]) => lineOf(key, value)).join('\n')
}

/** A value as it was: of a text that reads like a number or a truth value nobody can tell otherwise what was meant. */
function valueOf (text: string, before: PropertyValue | undefined): PropertyValue {
  if (typeof before === 'string') return text
  if (text === 'true' || text === 'false') return text === 'true'
  // `1.10` is a version, and more digits than a number has are none.
  return String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text
}

function textsIn (lines: string): Map<string, string> {
  return new Map(lines.split('\n').map(line => line.trim()).filter(line => line !== '').map(line => {
    const parts = partsOf(line)
    if (parts === undefined) throw new FieldError('properties', `"${plain(line)}" is not name=value`)
    return parts
  }))
}

/** The properties as they are now, with what was changed in a form that began with `begun`. */
function propertiesIn (values: Values, begun: Values, now: Group['properties']): Record<string, PropertyValue> {
  const all = new Map(Object.entries(now))
  const [typed, before] = [textsIn(String(values['properties'])), textsIn(String(begun['properties']))]
  for (const key of before.keys()) if (!typed.has(key)) all.delete(key)
  for (const [key, text] of typed) if (before.get(key) !== text) all.set(key, valueOf(text, all.get(key)))
  for (const key of boxes) {
    if (values[key] === begun[key]) continue
    if (values[key] === true) all.set(key, true)
    else all.delete(key)
  }
  return Object.fromEntries(all)
}

const limitsIn = (values: Values) => ({
  minOnlineService: numberIn(values['minOnlineService']),
  maxOnlineService: numberIn(values['maxOnlineService']),
  percentageToStartNewService: numberIn(values['percentageToStartNewService']),
  minMemory: numberIn(values['minMemory']),
  maxMemory: numberIn(values['maxMemory'])
})

const versionsOf = (platform: Platform | undefined): FieldForm['choices'] => platform?.versions.map(({ version }) => ({ value: version, label: version })) ?? []

/** What was typed into the form of a new group stays until it is made, or thrown away. */
let draft: Values | undefined
holdUnsaved({ isHeld: () => draft !== undefined })

export function NewGroup () {
  const platforms = useItems('platforms')
  return (
    <View title='New group' within={<a href={linkTo('groups')}>Groups</a>}>
      {platforms === undefined
        ? mayList('platforms') ? <Waiting /> : <Empty>A group needs a platform, and your role lists none: ask an admin for <span class='mono'>platform.list</span>.</Empty>
        : platforms.length === 0 ? <Empty>There is no platform, and a group needs one. Lay one into the core's directory of platforms.</Empty> : <Create platforms={platforms} />}
    </View>
  )
}

function Create ({ platforms }: { readonly platforms: readonly Platform[] }) {
  const templates = (useItems('templates') ?? []).map(({ name }) => name).filter(name => !ofTheSystem.test(name))
  const first = platforms.find(({ type }) => type === 'SERVER') ?? platforms[0]
  // Every version of every platform is one choice: none can be chosen that does not belong.
  const choices = platforms.flatMap(({ name, versions, type }) => versions.map(({ version }) => ({ value: JSON.stringify([name, version]), label: `${plain(name)} ${plain(version)}${type === 'PROXY' ? ' (proxy)' : ''}` })))
  const [kept, setKept] = useState(draft)
  return (
    <div class='sheet narrow'>
      {kept !== undefined && (
        <p class='kept' role='status'>
          What you typed before is still here.{' '}
          <button
            type='button' onClick={() => {
              draft = undefined
              setKept(undefined)
            }}
          >Begin anew
          </button>
        </p>
      )}
      <Form
        key={String(kept !== undefined)} onTyped={values => { draft = values }}
        fields={[
          { name: 'name', label: 'Name', isFocused: true, allowed: `${allowedForDirectories}; neither list nor count nor create`, hint: 'Its services are called name-1, name-2 …' },
          { name: 'platform', label: 'Platform', type: 'choice', choices, says: ['version'] },
          ...limits, templatesOf(templates), ...kinds
        ]}
        initial={{
          platform: JSON.stringify([first?.name, first?.versions[0]?.version]), minOnlineService: '1', maxOnlineService: '3', percentageToStartNewService: '80', minMemory: '512', maxMemory: '1024', ...kept
        }}
        submit='Create group'
        onSubmit={async values => {
          const [platform, version] = JSON.parse(String(values['platform'])) as [string, string]
          const { data } = await ask(cloud.POST('/group/create', {
            body: {
              name: String(values['name']), ...limitsIn(values), platform: { name: platform, version }, templates: [...values['templates'] as readonly string[]], properties: propertiesIn(values, { fallback: false, static: false, properties: '' }, {})
            }
          }))
          draft = undefined
          go('groups', data.name)
        }}
      >
        <a href={linkTo('groups')} onClick={() => { draft = undefined }}>Cancel</a>
      </Form>
    </div>
  )
}

export function EditGroup ({ group, onDone }: { readonly group: Group, readonly onDone: () => void }) {
  const platform = useItems('platforms')?.find(({ name }) => name === group.platform.name)
  const known = (useItems('templates') ?? []).map(({ name }) => name).filter(name => !ofTheSystem.test(name))
  const versions = versionsOf(platform) ?? []
  const { current: begun } = useRef<Values>({
    ...Object.fromEntries(limits.map(({ name }) => [name, String(group[name as 'minMemory'])])),
    version: group.platform.version,
    templates: group.templates,
    fallback: group.properties['fallback'] === true,
    static: group.properties['static'] === true,
    properties: linesOf(group.properties)
  })
  return (
    <Form
      fields={[
        ...limits,
        ...(versions.length > 0 ? [{ name: 'version', label: 'Version', type: 'choice', choices: versions, hint: 'In force when a service starts next' } as const] : []),
        templatesOf([...new Set([...group.templates, ...known])]), ...kinds
      ]}
      initial={begun}
      submit='Save'
      onSubmit={async values => {
        // What somebody else changes meanwhile stays, unless it is changed here as well.
        const isChanged = (name: string): boolean => JSON.stringify(values[name]) !== JSON.stringify(begun[name])
        const given = limitsIn(values)
        const changes = {
          ...Object.fromEntries(Object.entries(given).filter(([name]) => isChanged(name))) as Partial<typeof given>,
          ...(isChanged('templates') && { templates: [...values['templates'] as readonly string[]] }),
          ...([...boxes, 'properties'].some(isChanged) && { properties: propertiesIn(values, begun, group.properties) }),
          ...(versions.length > 0 && isChanged('version') && { platform: { name: group.platform.name, version: String(values['version']) } })
        }
        if (Object.keys(changes).length > 0) await ask(cloud.PATCH('/group/{name}', { params: { path: { name: group.name } }, body: changes }))
        onDone()
      }}
    />
  )
}
