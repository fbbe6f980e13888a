/** Turns the structured log into lines for people: time, level, message, and the fields that matter. */

const levels = { 10: 'TRACE', 20: 'DEBUG', 30: 'INFO ', 40: 'WARN ', 50: 'ERROR', 60: 'FATAL' }
const ordinary = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'req', 'res', 'err', 'responseTime'])
const token = /[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g

/** A stream for Fastify's `logger`. Whatever looks like a token is cut out, wherever it came from. */
export function readable (write = text => process.stdout.write(text)) {
  return {
    write (json) {
      write(`${lineOf(JSON.parse(json)).replace(token, '[token]')}\n`)
    }
  }
}

function lineOf ({ time, level, msg = '', ...fields }) {
  const parts = [new Date(time).toISOString(), levels[level] ?? level, escaped(msg)]
  for (const [name, value] of Object.entries(fields)) {
    if (!ordinary.has(name)) parts.push(`${name}=${JSON.stringify(value)}`)
  }
  if (fields.req !== undefined) parts.push(`${fields.req.method} ${escaped(fields.req.url)} from ${fields.req.remoteAddress}`)
  if (fields.res !== undefined) parts.push(`${fields.res.statusCode} in ${Math.round(fields.responseTime)} ms`)
  if (fields.err !== undefined) parts.push(`\n    ${escaped(fields.err.stack ?? fields.err.message).replaceAll('\\u000a', '\n   ')}`)
  return parts.join(' ')
}

/** Control characters never reach a terminal, and one record stays one line. */
function escaped (text) {
  return String(text).replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, character => `\\u${character.codePointAt(0).toString(16).padStart(4, '0')}`)
}
