/** The console of a service: follow or pause, search, copy, send. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Service } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { textOf } from '../console/ansi.js'
import { type Gone, type Line, createLines } from '../console/lines.js'
import { Prompt } from '../console/prompt.js'
import { readLines } from '../console/read.js'
import { Screen } from '../console/screen.js'
import { announce } from '../parts/announce.js'
import { copy } from '../parts/copy.js'
import { isNarrow } from '../parts/narrow.js'
import { counted, number, plain } from '../parts/text.js'
import { Section } from '../parts/view.js'
import { holds } from '../session.js'

export function Console ({ service: { name } }: { readonly service: Service }) {
  const [, redraw] = useState(0)
  const lines = useMemo(() => createLines(() => { redraw(count => count + 1) }), [name])
  useEffect(() => {
    const ending = new AbortController()
    readLines(name, lines, ending.signal)
    return () => { ending.abort() }
  }, [name, lines])

  /** What stands still while somebody reads; undefined: what comes is followed. */
  const [paused, setPaused] = useState<readonly Line[]>()
  const [isWrapped, setIsWrapped] = useState(isNarrow)
  const [search, setSearch] = useState('')
  const [hit, setHit] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  const all = lines.all()
  const shown = paused ?? all
  const hits = useMemo(() => search === '' ? [] : placesOf(shown, search), [search, paused])
  const behind = paused === undefined ? 0 : (all.at(-1)?.number ?? 0) - (paused.at(-1)?.number ?? 0)

  const pause = (): void => { setPaused(before => before ?? lines.all()) }
  function follow (): void {
    setPaused(undefined)
    setSearch('')
  }
  function find (words: string): void {
    if (words !== '') pause()
    setSearch(words)
    setHit(Math.max(0, (words === '' ? [] : placesOf(paused ?? lines.all(), words)).length - 1))
  }
  const step = (by: number): void => { if (hits.length > 0) setHit((hit + by + hits.length) % hits.length) }
  async function copyAll (): Promise<void> {
    const copied = shown.filter(line => !line.isNote)
    const isDone = await copy(copied.map(({ text }) => textOf(text)).join('\n'))
    announce(isDone ? `${counted(copied.length, 'line')} copied` : 'The browser does not let this page copy')
  }

  return (
    <Section
      title='Console'
      aside={(
        <span class='tools'>
          <input
            ref={input} type='search' aria-label='Search in the console' placeholder='Search' value={search} onInput={event => { find(event.currentTarget.value) }}
            onKeyDown={event => { if (event.key === 'Enter') step(event.shiftKey ? 1 : -1) }}
          />
          <span class='hits soft' role='status'>{search !== '' && (hits.length === 0 ? 'not found' : `${number(hit + 1)} of ${number(hits.length)}`)}</span>
          <button type='button' aria-pressed={isWrapped} onClick={() => { setIsWrapped(!isWrapped) }}>Wrap</button>
          <button type='button' onClick={() => { copyAll() }}>Copy</button>
          <button type='button' class='follow' aria-pressed={paused === undefined} onClick={paused === undefined ? pause : follow}>{paused === undefined ? 'Following' : 'Follow'}</button>
        </span>
      )}
    >
      <Screen
        lines={shown} label={`Console of ${plain(name)}`} isFollowing={paused === undefined} isWrapped={isWrapped} target={search === '' ? undefined : hits[hit]} search={search}
        onScrollBack={pause} onBottom={follow}
      />
      <p class='beneath soft'>{[...(behind > 0 ? [counted(behind, 'new line')] : []), ...goneInWords(lines.gone())].join(' · ')}</p>
      {holds('service.execute') && <Prompt about={name} label='Command' onSend={command => ask(cloud.POST('/service/{serviceName}/command', { params: { path: { serviceName: name } }, body: { command } }))} />}
    </Section>
  )
}

/** What is not on the screen, however far one scrolls. */
const goneInWords = ({ lines, gaps }: Gone): readonly string[] => [
  ...(lines > 0 ? [`${counted(lines, 'older line')} ${lines === 1 ? 'is' : 'are'} not kept`] : []),
  ...(gaps > 0 ? [`lines are missing at ${counted(gaps, 'place')}, nobody knows how many`] : [])
]

const placesOf = (lines: readonly Line[], search: string): readonly number[] => {
  const wanted = search.toLowerCase()
  return lines.flatMap(({ text, isNote }, at) => !isNote && textOf(text).toLowerCase().includes(wanted) ? [at] : [])
}
