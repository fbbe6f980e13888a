/** Turns the structured log into lines for people: time, level, message, and the fields that matter. */
import { escaped } from './printable.js'

const levels = { 10: 'TRACE', 20: 'DEBUG', 30: 'INFO ', 40: 'WARN ', 50: 'ERROR', 60: 'FATAL' }
const ordinary = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'req', 'res', 'err', 'responseTime'])
/** Looked for at the beginning of a word only, so that a long word is read once. */
const token = /(?<![\w-])[\w-]{10,}(?:\.[\w-]{10,}){2,}/g
/** An API key, also one that was cut or mistyped; somebody may have given one where its id belongs. */
const key = /fc_[0-9A-Za-z]{1,64}_[0-9A-Za-z]{20,}/g
/** Characters of a record. */
const longest = 16_384

/** A stream for Fastify's `logger`. Whatever looks like a token or a key is cut out, wherever it came from. */
export function readable (write = text => process.stdout.write(text)) {
  return {
    write (json) {
      const line = lineOf(JSON.parse(json)).replace(token, '[token]').replace(key, '[key]')
      write(line.length > longest ? `${line.slice(0, longest)}… (${line.length - longest} more)\n` : `${line}\n`)
    }
  }
}

function lineOf ({ time, level, msg = '', ...fields }) {
  const parts = [new Date(time).toISOString(), levels[level] ?? level, msg]
  for (const [name, value] of Object.entries(fields)) {
    if (!ordinary.has(name)) parts.push(`${name}=${JSON.stringify(value)}`)
  }
  if (fields.req !== undefined) parts.push(`${fields.req.method} ${fields.req.url} from ${fields.req.remoteAddress}`)
  if (fields.res !== undefined) parts.push(`${fields.res.statusCode} in ${Math.round(fields.responseTime)} ms`)
  const lines = [parts.join(' ')]
  if (fields.err !== undefined) lines.push(...String(fields.err.stack ?? fields.err.message).split('\n'))
  // One record is one line; what is not its first is set in, and so cannot be taken for another record.
  return lines.map(escaped).join('\n    ')
}
