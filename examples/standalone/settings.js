/** Reads the environment, and says which variable is wrong. */
import { isIP } from 'node:net'
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

const matching = (expression, wanted) => value => {
  if (!expression.test(value)) throw new Error(`must be ${wanted}`)
  return value
}

/** A step of bcrypt's cost. */
const cost = value => Number(matching(/^(?:[4-9]|1[0-5])$/, 'a number from 4 to 15')(value))

const list = value => {
  const items = value.split(',').map(item => item.trim()).filter(item => item !== '')
  if (items.length === 0) throw new Error('must name something')
  return items
}

const origins = value => list(value).map(origin => {
  if (!URL.canParse(origin) || new URL(origin).origin !== origin) throw new Error('must be origins such as https://panel.example, with commas between them')
  return origin
})

const address = value => {
  if (isIP(value) === 0) throw new Error('must be an IP address')
  return value
}

/** Where an engine answers: a path, or an address of the network. */
const engine = value => {
  if (value.startsWith('/')) return { socketPath: value }
  const { protocol, hostname, port } = URL.canParse(value) ? new URL(value) : {}
  if (protocol !== 'https:' && protocol !== 'http:') throw new Error('must name engines by a path, or by an address such as https://10.0.0.12:2376')
  return { host: hostname, port: Number(port || 2376), ...(protocol === 'https:' && { secure: true }) }
}

/** `node-2=https://10.0.0.12:2376,node-3=https://10.0.0.13:2376` */
const engines = value => Object.fromEntries(list(value).map(one => {
  const [, name, where] = /^([^=]+)=(.+)$/.exec(one) ?? []
  if (name === undefined) throw new Error('must be names of nodes, each with = and where its engine answers, with commas between them')
  return [name, engine(where)]
}))

const ports = value => {
  const [, from, to] = /^(\d{1,5})-(\d{1,5})$/.exec(value) ?? []
  const range = { from: Number(from), to: Number(to) }
  if (!(range.from >= 1 && range.from <= range.to && range.to <= 65535)) throw new Error('must be two ports, 1 to 65535, such as 25565-26564')
  return range
}

const httpAddress = value => {
  const { protocol, username, search, hash } = URL.canParse(value) ? new URL(value) : {}
  if ((protocol !== 'http:' && protocol !== 'https:') || username !== '' || search !== '' || hash !== '') throw new Error('must be an address that begins with http:// or https://')
  return value.replace(/\/$/, '')
}

/** Names that Fastify's `trustProxy` knows for networks. */
const networks = ['loopback', 'linklocal', 'uniquelocal']

const isNetwork = text => {
  const [ip, bits = '1', ...more] = text.split('/')
  const isMask = isIP(bits) === 4 || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (isIP(ip) === 4 ? 32 : 128))
  return isIP(ip) !== 0 && isMask && more.length === 0
}

/** Fastify's `trustProxy`: a number of hops, or addresses. */
const hopsOrAddresses = value => {
  if (/^\d{1,3}$/.test(value)) return Number(value)
  const all = list(value)
  if (!all.every(one => networks.includes(one) || isNetwork(one))) throw new Error('must be a number of hops, or addresses and networks with commas between them')
  return all
}

/** What a token is tied to. */
const binding = value => {
  const words = value === 'none' ? [] : list(value)
  if (words.some(word => word !== 'ip' && word !== 'userAgent')) throw new Error('must be ip, userAgent, both with a comma between them, or none')
  return { ip: words.includes('ip'), userAgent: words.includes('userAgent') }
}

const variables = {
  HOST: ['host', text, '127.0.0.1'],
  PORT: ['port', port, '8080'],
  CLOUD_DIRECTORY: ['directory', resolve, './cloud'],
  CLOUD_URL: ['url', httpAddress],
  CLOUD_PREFIX: ['prefix', matching(/^(\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/, 'a path that begins with / and does not end with it'), '/cloud/api/v3'],
  CLOUD_NAMESPACE: ['namespace', matching(/^[a-z0-9-]+$/, 'lower-case letters, digits and dashes'), 'cloud'],
  DATABASE_URL: ['databaseUrl', postgres],
  TRUST_PROXY: ['trustProxy', hopsOrAddresses],
  ALLOWED_ORIGINS: ['allowedOrigins', origins],
  INSECURE_COOKIE: ['insecureCookie', flag, '0'],
  CLOUD_ON_EXIT: ['onExit', oneOf('stop', 'keep'), 'stop'],
  CLOUD_RUNTIME: ['runtime', oneOf('process', 'docker'), 'process'],
  DOCKER_SOCKET: ['dockerSocket', text, '/var/run/docker.sock'],
  DOCKER_CLOUD: ['dockerCloud', matching(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, 'lower-case letters, digits and dashes, at most 32')],
  DOCKER_NETWORK: ['dockerNetwork', matching(/^[A-Za-z0-9][\w.-]{0,62}$/, 'the name of a network')],
  DOCKER_IMAGE: ['dockerImage', text],
  DOCKER_SWARM_REGISTRY: ['dockerSwarmRegistry', text],
  DOCKER_NODES: ['dockerNodes', engines],
  DOCKER_CERTS: ['dockerCerts', resolve],
  SERVICE_HOST: ['serviceHost', address, '127.0.0.1'],
  SERVICE_PORTS: ['servicePorts', ports, '25565-26564'],
  TOKEN_BINDING: ['tokenBinding', binding, 'ip,userAgent'],
  PASSWORD_COST: ['passwordCost', cost, '10'],
  CLOUD_COMPAT: ['compat', oneOf('polocloud')],
  CLOUD_DASHBOARD: ['dashboard', flag, '1'],
  CATALOGUE_PAPERMC: ['cataloguePapermc', httpAddress],
  CATALOGUE_MOJANG: ['catalogueMojang', httpAddress],
  CATALOGUE_PURPUR: ['cataloguePurpur', httpAddress],
  CATALOGUE_FABRIC: ['catalogueFabric', httpAddress],
  CATALOGUE_BUNGEECORD: ['catalogueBungeecord', httpAddress],
  CATALOGUE_CONTACT: ['catalogueContact', matching(/^[!-'*-~]{1,200}$/, 'an address of mail or of a page')]
}

/** The address of a database without the password that it holds, and without options, one of which may be a password. */
export function shownUrl (value) {
  const [, scheme, userinfo = '', rest] = /^([a-z][a-z0-9+.-]*:\/\/)(?:([^/?#]*)@)?([^?#@]*)(?:[?#][^@]*)?$/i.exec(value) ?? []
  if (scheme === undefined) return 'something else'
  const [user] = userinfo.split(':')
  return `${scheme}${user === '' ? '' : `${user}@`}${rest}`
}

/** What is preset where the dashboard of PoloCloud is served. */
const ofPolocloud = { CLOUD_PREFIX: '/polocloud/api/v3', CLOUD_NAMESPACE: 'polocloud' }

/** The settings in `env`; an empty variable counts as absent. Throws a sentence that names the variable. */
export function readSettings (env = process.env) {
  const settings = {}
  const presets = env.CLOUD_COMPAT === 'polocloud' ? ofPolocloud : {}
  for (const [name, [key, read, preset]] of Object.entries(variables)) {
    const value = env[name] === undefined || env[name] === '' ? presets[name] ?? preset : env[name]
    if (value === undefined) continue
    try {
      settings[key] = read(value)
    } catch (error) {
      throw new Error(`${name} ${error.message}; it is ${JSON.stringify(name === 'DATABASE_URL' ? shownUrl(value) : value)}`)
    }
  }
  return settings
}
