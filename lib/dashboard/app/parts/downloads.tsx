/** How far downloads are. The runtime tells it in words, `server.jar 42 % of 51.2 MB`; where it tells no figure there is no bar. */
import { plain } from './text.js'

const told = /(\S{1,255}) (\d{1,3}) % of (\d[\d.]{0,9} [kMGT]?B)/g

export function Downloads ({ words }: { readonly words: string }) {
  const found = [...words.matchAll(told)].map(([, name = '', percent, size = '']) => ({ name, percent: Number(percent), size }))
  return found.length === 0
    ? null
    : (
      <ul class='downloads'>
        {found.map(({ name, percent, size }, at) => (
          <li key={at}><span class='mono foreign'>{plain(name)}</span> <progress aria-label={`How much of ${plain(name)} is there`} value={percent} max={100} /> <span class='soft figure'>{percent} % of {size}</span></li>
        ))}
      </ul>
      )
}

/** Whether more will be told soon, without anybody doing anything. */
export const isUnderWay = (words: string): boolean => /\d % of |waits for other downloads|is looked at/.test(words)
