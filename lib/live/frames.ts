/**
 * WebSocket text frames (RFC 6455 §5.2). A server's frames are the same for every client, so that a batch of lines is
 * framed once and written to a thousand sockets as it is.
 */

/** One frame for each text, one after the other in one buffer. */
export function textFrames (texts: readonly string[]): Buffer {
  const lengths = texts.map(text => Buffer.byteLength(text))
  const buffer = Buffer.allocUnsafe(lengths.reduce((total, length) => total + headerLength(length) + length, 0))
  let at = 0
  for (const [index, text] of texts.entries()) {
    const length = lengths[index] as number
    at = writeHeader(buffer, at, length)
    at += buffer.write(text, at, length, 'utf8')
  }
  return buffer
}

const headerLength = (length: number): number => length < 126 ? 2 : length < 65_536 ? 4 : 10

function writeHeader (buffer: Buffer, at: number, length: number): number {
  buffer[at] = 0x81
  if (length < 126) {
    buffer[at + 1] = length
    return at + 2
  }
  if (length < 65_536) {
    buffer[at + 1] = 126
    return buffer.writeUInt16BE(length, at + 2)
  }
  buffer[at + 1] = 127
  return buffer.writeBigUInt64BE(BigInt(length), at + 2)
}
