/** What a key may do: how much, and each of it where one asks. */
import { counted, plain } from './text.js'

export const Permissions = ({ of: permissions }: { readonly of: readonly string[] }) => permissions.length === 0
  ? <span class='soft'>nothing</span>
  : (
    <details>
      <summary>{counted(permissions.length, 'permission')}</summary>
      <ul>{permissions.map(one => <li key={one} class='mono foreign'>{plain(one)}</li>)}</ul>
    </details>
    )
