/** Reads the environment, and says which variable is wrong. */
import { resolve } from 'node:path'

const flag = value => {
  if (value !== '0' && value !== '1') throw new Error('must be 0 or 1')
  return value === '1'
}

const port = value => {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65535) throw new Error('must be a port, 0 to 65535')
  return Number(value)
}

const oneOf = (...words) => value => {
  if (!words.includes(value)) throw new Error(`must be one of ${words.join(', ')}`)
  return value
}

const postgres = value => {
  if (!/^postgres(?:ql)?:\/\//.test(value)) throw new Error('must begin with postgres://')
  return value
}

const text = value => value
const list = value => value.split(',').map(item => item.trim()).filter(item => item !== '')
/** Fastify's `trustProxy`: a number of hops, or addresses. */
const hopsOrAddresses = value => /^\d+$/.test(value) ? Number(value) : list(value)

const variables = {
  HOST: ['host', text, '127.0.0.1'],
  PORT: ['port', port, '8080'],
  CLOUD_DIRECTORY: ['directory', resolve, './cloud'],
  CLOUD_PREFIX: ['prefix', text, '/cloud/api/v3'],
  CLOUD_NAMESPACE: ['namespace', text, 'cloud'],
  DATABASE_URL: ['databaseUrl', postgres],
  TRUST_PROXY: ['trustProxy', hopsOrAddresses],
  ALLOWED_ORIGINS: ['allowedOrigins', list, ''],
  INSECURE_COOKIE: ['insecureCookie', flag, '0'],
  CLOUD_ON_EXIT: ['onExit', oneOf('stop', 'keep'), 'stop']
}

/** The settings in `env`; an empty variable counts as absent. Throws a sentence that names the variable. */
export function readSettings (env = process.env) {
  const settings = {}
  for (const [name, [key, read, preset]] of Object.entries(variables)) {
    const value = env[name] === undefined || env[name] === '' ? preset : env[name]
    if (value === undefined) continue
    try {
      settings[key] = read(value)
    } catch (error) {
      // A database URL holds a password.
      throw new Error(`${name} ${error.message}${name === 'DATABASE_URL' ? '' : `; it is ${JSON.stringify(value)}`}`)
    }
  }
  return settings
}
