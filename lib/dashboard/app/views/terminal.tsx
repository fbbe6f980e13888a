/** The terminal of the core: one command, its answer, and what came before. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Refusal, ask, cloud } from '../cloud.js'
import { Prompt } from '../console/prompt.js'
import { piecesOf } from '../console/ansi.js'
import { Empty, View } from '../parts/view.js'
import { plain } from '../parts/text.js'

interface Entry {
  readonly command: string
  readonly lines: readonly string[]
  readonly isRefused: boolean
}

const kept = 200
/** Over visits of the view, while the page is open. */
let entries: readonly Entry[] = []

export function Terminal () {
  const [shown, setShown] = useState(entries)
  const end = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (end.current !== null) end.current.scrollTop = end.current.scrollHeight
  }, [shown])
  const note = (entry: Entry): void => {
    entries = [...entries, entry].slice(-kept)
    setShown(entries)
  }
  async function run (command: string): Promise<void> {
    try {
      const { data } = await ask(cloud.POST('/terminal/command', { body: { command } }))
      note({ command, lines: data.output, isRefused: false })
    } catch (error) {
      if (!(error instanceof Refusal) || error.status < 400 || error.status >= 500 || error.status === 401) throw error
      note({ command, lines: error.message.split('\n'), isRefused: true })
    }
  }
  return (
    <View title='Terminal'>
      <div class='sheet'>
        {shown.length === 0 && <Empty>The commands of the core, not a shell of its machine. <span class='mono'>help</span> lists them; what was typed before comes back by the arrows.</Empty>}
        <div ref={end} class='answers' role='log' aria-label='Answers' tabIndex={0}>
          {shown.map(({ command, lines, isRefused }, at) => (
            <div key={at}>
              <p><b>› {plain(command)}</b></p>
              <pre class={isRefused ? 'bad' : ''}>{lines.map((line, place) => <span key={place}>{piecesOf(line).map((piece, number) => <span key={number} class={piece.style}>{piece.text}</span>)}{'\n'}</span>)}</pre>
            </div>
          ))}
        </div>
        <Prompt about='the terminal' label='Command' onSend={run} />
      </div>
    </View>
  )
}
