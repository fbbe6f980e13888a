/** What a key, or a role, may do: how much, and each of it where one asks. */
import { isWide, opensOf } from './permissions.js'
import { counted, plain } from './text.js'

export const Permissions = ({ of: permissions }: { readonly of: readonly string[] }) => permissions.length === 0
  ? <span class='soft'>nothing</span>
  : (
    <details>
      <summary>{counted(permissions.length, 'permission')}{permissions.some(isWide) && <> <span class='tag'>nearly everything</span></>}</summary>
      <ul>{permissions.map(one => <li key={one}><span class='mono foreign'>{plain(one)}</span> <span class='hint'>{opensOf(one)}</span></li>)}</ul>
    </details>
    )
