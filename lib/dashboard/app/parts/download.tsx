/** A link whose answer the browser saves; nothing where there is no address for it. */

interface DownloadProps {
  readonly href: string | undefined
  readonly words?: string
  /** Says of what, where the words do not. */
  readonly label?: string
  /** It stands in a row of a table. */
  readonly isSmall?: boolean
}

export const Download = ({ href, words = 'Download', label, isSmall = false }: DownloadProps) => href === undefined
  ? null
  : <a class={`button plain ${isSmall ? 'small' : ''}`} href={href} download='' {...(label !== undefined && { 'aria-label': label })}>{words}</a>
