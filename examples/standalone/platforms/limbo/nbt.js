/**
 * As much of NBT (Named Binary Tag) as limbo sends: a JavaScript string is a string tag, a boolean a byte,
 * a plain object a compound, and a number has to say its width with one of the functions below.
 */
class Numeric {
  constructor (tag, bytes) {
    this.tag = tag
    this.bytes = bytes
  }
}

export const nbtInt = value => numeric(3, 4, bytes => bytes.writeInt32BE(value))
export const nbtFloat = value => numeric(5, 4, bytes => bytes.writeFloatBE(value))
export const nbtDouble = value => numeric(6, 8, bytes => bytes.writeDoubleBE(value))

/** A value as network NBT, whose root has no name (since 1.20.2). A text component may be a bare string. */
export function nbt (value) {
  return Buffer.concat([Buffer.from([tagOf(value)]), payload(value)])
}

function tagOf (value) {
  if (value instanceof Numeric) return value.tag
  if (typeof value === 'boolean') return 1
  return typeof value === 'string' ? 8 : 10
}

function payload (value) {
  if (value instanceof Numeric) return value.bytes
  if (typeof value === 'boolean') return Buffer.from([value ? 1 : 0])
  return typeof value === 'string' ? nbtString(value) : compound(value)
}

function compound (fields) {
  const parts = Object.entries(fields).map(([name, value]) =>
    Buffer.concat([Buffer.from([tagOf(value)]), nbtString(name), payload(value)]))
  return Buffer.concat([...parts, Buffer.from([0])])
}

function nbtString (text) {
  const bytes = modifiedUtf8(text)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** Java's own UTF-8, in which each half of a surrogate pair is written by itself (`java.io.DataInput`). */
function modifiedUtf8 (text) {
  const bytes = []
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 0 && unit < 0x80) bytes.push(unit)
    else if (unit < 0x800) bytes.push(0xc0 | unit >> 6, 0x80 | unit & 0x3f)
    else bytes.push(0xe0 | unit >> 12, 0x80 | unit >> 6 & 0x3f, 0x80 | unit & 0x3f)
  }
  return Buffer.from(bytes)
}

function numeric (tag, size, write) {
  const bytes = Buffer.alloc(size)
  write(bytes)
  return new Numeric(tag, bytes)
}
