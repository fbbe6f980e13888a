/**
 * `fastify-cloud/compat/polocloud`: requests and answers as the deployed dashboard of PoloCloud has them. It stands before the cloud in the
 * same host and changes what passes; the cloud knows nothing of it.
 */
import { Readable } from 'node:stream'
import fp from 'fastify-plugin'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { groupRequest, shown } from './shapes.js'

export interface PolocloudOptions {
  /** That of the cloud. Default `/polocloud/api/v3`. */
  readonly prefix?: string
}

/** What the cloud itself needs to be told: `register(cloud, { ...polocloudOptions, runtime, storage, secret })`. */
export const polocloudOptions = {
  prefix: '/polocloud/api/v3',
  namespace: 'polocloud',
  // Its channels are opened by the browser, and its requests sent by a server of its own.
  live: { queryToken: true, binding: false }
} as const

/** The server of the dashboard sends requests under two names; a token is tied to one. */
const agents = ['node', 'Polocloud-Dashboard/1.0']
const systemTemplates = ['EVERY', 'EVERY_SERVER', 'EVERY_PROXY', 'EVERY_FALLBACK']
const mostTemplates = 20

async function plugin (fastify: FastifyInstance, { prefix = polocloudOptions.prefix }: PolocloudOptions): Promise<void> {
  /** The path below the prefix, without its query and the slash at its end; undefined for what is not ours. */
  function pathOf ({ url }: FastifyRequest): string | undefined {
    if (!url.startsWith(`${prefix}/`)) return undefined
    const [path = ''] = url.slice(prefix.length).split('?')
    return path.endsWith('/') ? path.slice(0, -1) : path
  }

  const isGroupRequest = ({ method, body }: FastifyRequest, path: string | undefined): boolean =>
    path?.startsWith('/group/') === true && (method === 'POST' || method === 'PATCH') && typeof body === 'object' && body !== null

  fastify.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request
    if (pathOf(request) !== undefined && agents.includes(headers['user-agent'] ?? '')) headers['user-agent'] = agents[1]
    done()
  })

  fastify.addHook('preValidation', (request, _reply, done) => {
    if (isGroupRequest(request, pathOf(request))) request.body = groupRequest(request.body as Record<string, unknown>)
    done()
  })

  // By then the fields are right, and the caller may make groups.
  fastify.addHook('preHandler', async request => {
    if (request.method !== 'POST' || pathOf(request) !== '/group/create') return
    const { name, templates = [] } = request.body as { readonly name: string, readonly templates?: readonly string[] }
    const missing = templates.filter(one => one !== name && !systemTemplates.includes(one)).slice(0, mostTemplates)
    for (const template of missing) await makeTemplate(request, template)
  })

  /** Makes a template for the caller of a request, who has to hold the permission; one that is there stays as it is. */
  async function makeTemplate ({ headers, socket }: FastifyRequest, name: string): Promise<void> {
    const { 'content-length': _length, 'transfer-encoding': _encoding, ...own } = headers
    await fastify.inject({
      method: 'POST',
      url: `${prefix}/template/`,
      headers: { ...own, 'content-type': 'application/json' },
      payload: { name },
      ...(socket.remoteAddress !== undefined && { remoteAddress: socket.remoteAddress })
    })
  }

  fastify.addHook('onSend', async (request, reply, payload) => {
    const path = pathOf(request)
    if (path === undefined || reply.statusCode >= 300) return payload
    const change = shown(request.method, path)
    if (change === undefined || !String(reply.getHeader('content-type')).startsWith('application/json')) return payload
    const text = await textOf(payload)
    return text === '' ? payload : JSON.stringify(change(JSON.parse(text)))
  })
}

/** All of a body; a long list comes in pieces. */
async function textOf (payload: unknown): Promise<string> {
  if (!(payload instanceof Readable)) return typeof payload === 'string' || Buffer.isBuffer(payload) ? String(payload) : ''
  const pieces: Buffer[] = []
  for await (const piece of payload) pieces.push(piece as Buffer)
  return String(Buffer.concat(pieces))
}

/** Registered in the same host before the cloud. */
export const polocloud = fp(plugin, { fastify: '5.x', name: 'fastify-cloud-polocloud' })
export default polocloud
