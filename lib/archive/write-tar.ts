/** Writes a tar (POSIX.1-2001 pax), a piece at a time. */

const blockSize = 512
/** Bytes of a size that fits into a plain header. */
const largest = 8 * 1024 ** 3

export interface FileForTar {
  readonly path: string
  readonly size: number
  /** Four octal digits. */
  readonly mode: string
  /** Milliseconds since the Unix epoch. */
  readonly modifiedAt: number
  readonly content: AsyncIterable<Uint8Array>
  /** Absent: an ordinary file. The others have no content, and a size of 0. */
  readonly kind?: 'directory' | 'link'
  /** What a link leads to. */
  readonly target?: string
  /** The number of the user and of the group; absent: 0. */
  readonly owner?: number
}

/** Throws where a file has not as many bytes as it says. */
export async function * writeTar (files: AsyncIterable<FileForTar>): AsyncGenerator<Uint8Array, void, void> {
  for await (const file of files) {
    yield headersOf(file)
    let left = file.size
    for await (const piece of file.content) {
      left -= piece.length
      if (left < 0) break
      yield piece
    }
    if (left !== 0) throw new Error(`${file.path} has changed while it was read`)
    const fill = (blockSize - file.size % blockSize) % blockSize
    if (fill > 0) yield Buffer.alloc(fill)
  }
  yield Buffer.alloc(2 * blockSize)
}

function headersOf (file: FileForTar): Buffer {
  const { path, size, target = '' } = file
  const kind = file.kind === 'directory' ? '5' : file.kind === 'link' ? '2' : '0'
  const records = [
    ...(isPlain(path) ? [] : [recordOf('path', path)]), ...(isPlain(target) ? [] : [recordOf('linkpath', target)]), ...(size >= largest ? [recordOf('size', String(size))] : [])
  ]
  if (records.length === 0) return headerOf(file, kind)
  const pax = Buffer.concat(records)
  return Buffer.concat([
    headerOf({ ...file, path: 'PaxHeader', target: '', size: pax.length, mode: '0644' }, 'x'),
    pax, Buffer.alloc((blockSize - pax.length % blockSize) % blockSize),
    headerOf({ ...file, path: shortened(path), target: shortened(target), size: size >= largest ? 0 : size }, kind)
  ])
}

const isPlain = (text: string): boolean => Buffer.byteLength(text) <= 100 && !/[\x7f-\uffff]/.test(text)
const shortened = (text: string): string => text.replace(/[\x7f-\uffff]/g, '_').slice(-100)

/** The length counts itself. */
function recordOf (key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest + 1
  while (String(length).length + rest !== length) length++
  return Buffer.from(`${length} ${key}=${value}\n`)
}

function headerOf ({ path, size, mode, modifiedAt, target = '', owner = 0 }: Omit<FileForTar, 'content'>, kind: string): Buffer {
  const block = Buffer.alloc(blockSize)
  const octal = (value: number, at: number, digits: number): void => { block.write(value.toString(8).padStart(digits, '0'), at, 'latin1') }
  block.write(path, 0, 100, 'latin1')
  octal(Number.parseInt(mode, 8), 100, 7)
  octal(owner, 108, 7)
  octal(owner, 116, 7)
  octal(size, 124, 11)
  octal(Math.max(0, Math.floor(modifiedAt / 1000)), 136, 11)
  block.fill(' ', 148, 156)
  block.write(kind, 156, 'latin1')
  block.write(target, 157, 100, 'latin1')
  block.write('ustar\x0000', 257, 'latin1')
  octal(block.reduce((total, byte) => total + byte, 0), 148, 6)
  block[154] = 0
  return block
}
