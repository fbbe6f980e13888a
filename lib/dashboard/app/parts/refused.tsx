/** What the server has refused, beside what was pressed: it lies over the page, so that nothing moves that somebody is about to press. */
import { sentenceOf } from '../cloud.js'

export const Refused = ({ error, onClose }: { readonly error: unknown, readonly onClose: () => void }) => (
  <span class='refused'>
    <span class='error' role='alert'>{sentenceOf(error)}</span> <button type='button' class='quiet' aria-label='Close what was said' onClick={onClose}>✕</button>
  </span>
)
