/** Platforms and their versions, which groups run them, and how far what they download is. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Group, Platform } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { mayList, useItems } from '../live.js'
import { Action } from '../parts/action.js'
import { Downloads, isUnderWay } from '../parts/downloads.js'
import { useAsked } from '../parts/pending.js'
import { Refused } from '../parts/refused.js'
import { Table } from '../parts/table.js'
import { plain, plainReason } from '../parts/text.js'
import { Empty, View, Waiting } from '../parts/view.js'
import { holds } from '../session.js'
import { linkTo } from '../router.js'

export function Platforms () {
  const platforms = useItems('platforms')
  const groups = useItems('groups')
  const usersOf = (name: string) => groups?.filter(({ platform }) => platform.name === name) ?? []
  return (
    <View title='Platforms'>
      <div class='sheet'>
        {platforms === undefined
          ? <Waiting />
          : platforms.length === 0
            ? <Empty>There is no platform. A platform is a program that services run: it is defined by a file in the core's directory of platforms.</Empty>
            : (
              <Table<Platform>
                caption='Platforms' items={platforms} keyOf={({ name }) => name}
                columns={[
                  { title: 'Name', show: ({ name }) => <span class='foreign'>{plain(name)}</span> },
                  { title: 'Kind', kind: 'roomy', show: ({ type }) => type === 'PROXY' ? 'proxy' : 'server' },
                  { title: 'Versions', kind: 'roomy', show: ({ versions }) => <span class='foreign'>{versions.map(({ version }) => plain(version)).join(', ')}</span> },
                  {
                    title: 'Run by',
                    kind: 'grow',
                    show: ({ name }) => mayList('groups') && (usersOf(name).length === 0
                      ? <span class='soft'>no group</span>
                      : usersOf(name).map((group, at) => <span key={group.name}>{at > 0 && ', '}<a class='foreign' href={linkTo('groups', group.name)}>{plain(group.name)}</a> <span class='soft'>{plain(group.platform.version)}</span></span>))
                  },
                  {
                    title: 'Downloads',
                    show: ({ name }) => (
                      <>
                        {holds('group.get') && usersOf(name).map(group => <Awaited key={group.name} group={group} />)}
                        {holds('terminal.command') && <Fetch name={name} />}
                      </>
                    )
                  }
                ]}
              />
              )}
      </div>
    </View>
  )
}

/** What a group waits for before it starts anything. */
function Awaited ({ group: { name } }: { readonly group: Group }) {
  const [isQuick, setIsQuick] = useState(false)
  const { value } = useAsked(async () => (await ask(cloud.GET('/group/{name}/status', { params: { path: { name } } }))).data.reason ?? '', name, isQuick ? 1_000 : 5_000)
  const isWaiting = value?.includes('waits for its downloads') === true
  useEffect(() => { setIsQuick(isWaiting) }, [isWaiting])
  return isWaiting ? <div><span class='foreign'>{plain(name)}: {plainReason(value)}</span><Downloads words={value} /></div> : null
}

/** Fetches before anybody waits. The interface has it as a command of the terminal, which tells how far it is when it is asked again. */
function Fetch ({ name }: { readonly name: string }) {
  const [lines, setLines] = useState<readonly string[]>()
  const [error, setError] = useState<unknown>()
  async function look (): Promise<void> {
    const { data } = await ask(cloud.POST('/terminal/command', { body: { command: `platform fetch ${name}` } }))
    setError(undefined)
    setLines(data.output.map(line => line.startsWith(`${name} `) ? line.slice(name.length + 1) : line))
  }
  const begunAt = useRef(0)
  const isGoingOn = lines?.some(isUnderWay) === true && error === undefined
  useEffect(() => {
    if (!isGoingOn) return
    // Each question is a line of the audit log: the longer it takes, the seldomer it is asked.
    const waitMs = Math.min(60_000, Math.max(2_000, (performance.now() - begunAt.current) / 4))
    const timer = setTimeout(() => { look().catch(setError) }, waitMs)
    return () => { clearTimeout(timer) }
  }, [lines])
  return (
    <>
      {lines?.map((line, at) => <div key={at}><span class='soft foreign'>{plainReason(line)}</span><Downloads words={line} /></div>)}
      {error !== undefined && <span class='action'><Refused error={error} onClose={() => { setError(undefined) }} /></span>}
      {!isGoingOn && (
        <Action
          label={lines === undefined ? `Fetch what ${plain(name)} downloads` : `Ask again how far ${plain(name)} is`} onRun={async () => {
            begunAt.current = performance.now()
            await look()
          }}
        >{lines === undefined ? 'Fetch' : 'Ask again'}
        </Action>
      )}
    </>
  )
}
