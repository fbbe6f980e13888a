/** In which encoding a browser is answered (RFC 9110 §12.5.3). */

const ours = ['br', 'gzip', 'identity'] as const

/** The smallest one that is accepted; as it is where none of ours is. */
export function preferredOf (header: string | undefined): typeof ours[number] {
  const accepted = new Set<string>()
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map(one => one.trim())
    if (!parameters.some(one => /^q=0(\.0*)?$/.test(one))) accepted.add(name)
  }
  return ours.find(one => accepted.has(one)) ?? 'identity'
}
