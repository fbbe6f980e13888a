/** A role by its colour and its name. */
import { plain } from './text.js'

export const RoleMark = ({ role: { label, hexColor } }: { readonly role: { readonly label: string, readonly hexColor: string } }) => (
  <span class='role'><svg viewBox='0 0 10 10' aria-hidden='true'><circle cx='5' cy='5' r='4.5' fill={hexColor} /></svg> <span class='foreign'>{plain(label)}</span></span>
)
