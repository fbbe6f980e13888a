/** Ten thousand lines, of which only those are drawn that can be seen. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Piece, piecesOf } from './ansi.js'
import type { Line } from './lines.js'
import { placesOf } from './places.js'

const height = 18
const beyond = 12

interface ScreenProps {
  readonly lines: readonly Line[]
  readonly label: string
  readonly isFollowing: boolean
  /** Long lines go on in the next row. */
  readonly isWrapped: boolean
  /** The line that is to be seen, by its place. */
  readonly target: number | undefined
  readonly search: string
  readonly onScrollBack: () => void
  readonly onBottom: () => void
}

export function Screen ({ lines, label, isFollowing, isWrapped, target, search, onScrollBack, onBottom }: ScreenProps) {
  const box = useRef<HTMLDivElement>(null)
  const ruler = useRef<HTMLSpanElement>(null)
  const [top, setTop] = useState(0)
  const [room, setRoom] = useState(600)
  const [columns, setColumns] = useState(0)
  /** Where we put it ourselves: that is not somebody who scrolls. */
  const put = useRef(-1)
  const places = useMemo(() => placesOf(lines, isWrapped ? columns : 0), [lines, isWrapped, columns])
  const rows = places.rowsBefore(lines.length)

  const toBottom = useRef(() => {})
  toBottom.current = () => {
    const element = box.current
    if (element === null) return
    setRoom(element.clientHeight)
    const width = isWrapped ? ruler.current?.getBoundingClientRect().width ?? 0 : 0
    const style = getComputedStyle(element)
    if (width > 0) setColumns(Math.max(8, Math.floor((element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)) / (width / 10))))
    if (!isFollowing) return
    element.scrollTop = element.scrollHeight
    put.current = element.scrollTop
    setTop(element.scrollTop)
  }
  useLayoutEffect(() => { toBottom.current() }, [lines, isFollowing, isWrapped, rows])
  // A scrollbar that comes up below takes room without anything new to show.
  useEffect(() => {
    const observer = new ResizeObserver(() => { toBottom.current() })
    if (box.current !== null) observer.observe(box.current)
    return () => { observer.disconnect() }
  }, [])

  useLayoutEffect(() => {
    const element = box.current
    if (element === null || target === undefined) return
    const place = places.rowsBefore(target) * height
    if (place < element.scrollTop || place + height > element.scrollTop + element.clientHeight) element.scrollTop = Math.max(0, place - element.clientHeight / 2)
  }, [target])

  function scrolled (): void {
    const element = box.current
    if (element === null) return
    setTop(element.scrollTop)
    if (isFollowing && element.scrollTop < put.current - height) onScrollBack()
    else if (!isFollowing && element.scrollTop + element.clientHeight >= element.scrollHeight - 2 && target === undefined) onBottom()
  }

  const first = Math.max(0, places.lineAt(Math.floor(top / height)) - beyond)
  const last = Math.min(lines.length, places.lineAt(Math.ceil((top + room) / height)) + beyond)
  return (
    <div ref={box} class={isWrapped ? 'screen wrapped' : 'screen'} role='log' aria-live='off' aria-label={label} tabIndex={0} onScroll={scrolled}>
      <span ref={ruler} class='ruler' aria-hidden='true'>0000000000</span>
      <div style={{ height: `${rows * height}px` }}>
        <div style={{ transform: `translateY(${places.rowsBefore(first) * height}px)` }}>
          {lines.slice(first, last).map((line, at) => (
            <Row key={line.number} line={line} search={search} isTarget={first + at === target} rows={places.rowsBefore(first + at + 1) - places.rowsBefore(first + at)} />
          ))}
        </div>
      </div>
    </div>
  )
}

function Row ({ line, search, isTarget, rows }: { readonly line: Line, readonly search: string, readonly isTarget: boolean, readonly rows: number }) {
  const style = { minHeight: `${rows * height}px` }
  if (line.isNote) return <div class='row noted' style={style}>— {line.text} —</div>
  return <div class={isTarget ? 'row target' : 'row'} style={style}>{piecesOf(line.text).map((piece, at) => <span key={at} class={piece.style}>{search === '' ? piece.text : marked(piece, search)}</span>)}</div>
}

function marked ({ text }: Piece, search: string) {
  const found: Array<string | preact.JSX.Element> = []
  const [lower, wanted] = [text.toLowerCase(), search.toLowerCase()]
  let from = 0
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    found.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + wanted.length)}</mark>)
    from = at + wanted.length
  }
  return [...found, text.slice(from)]
}
