/** `fastify-cloud/dashboard`: serves a page that shows and runs a cloud. It talks to the interface as any other client does. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assets } from './assets.js'
import { preferredOf } from './encodings.js'
import { contentPolicy, pageOf } from './page.js'

export interface DashboardOptions {
  /** Where the page stands, for instance `/panel`. Default `/`. */
  readonly prefix?: string
  /** Where the interface is: a path of the same host, or the address of another one, whose `allowedOrigins` then lists this one. Default `/cloud/api/v3`. */
  readonly api?: string
  /** That of the cloud. Default `cloud`. */
  readonly namespace?: string
  /** The cloud's `decorator`, which tells whether the first admin is still to be made. Default `cloud`. */
  readonly decorator?: string
}

/** What is sent: the same in each of the encodings that browsers ask for. */
interface Content {
  readonly type: string
  readonly etag: string
  readonly bodies: Readonly<Record<'br' | 'gzip' | 'identity', Buffer>>
}

const [compress, decompress, zip] = [promisify(brotliCompress), promisify(brotliDecompress), promisify(gzip)]

/** Whether the first admin is still to be made is asked no more often: nobody has logged in who asks. */
const freshMs = 2_000

export async function dashboard (fastify: FastifyInstance, options: DashboardOptions): Promise<void> {
  const { api = '/cloud/api/v3', namespace = 'cloud', decorator = 'cloud' } = options
  if (typeof api !== 'string' || !/^(\/|https?:\/\/)/.test(api)) {
    throw new TypeError(`\`api\` must be a path that begins with / or an address that begins with http; given: ${String(api)}`)
  }
  if (typeof namespace !== 'string' || !/^[a-z0-9-]+$/.test(namespace)) {
    throw new TypeError(`\`namespace\` must be lower-case letters, digits and dashes; given: ${String(namespace)}`)
  }
  const prefix = fastify.prefix.replace(/\/$/, '')
  const place = { api: api.startsWith('/') ? `${'../'.repeat(prefix.split('/').length - 1) || './'}${api.slice(1)}` : api, namespace }
  const pages = {
    first: await contentOf('text/html; charset=utf-8', pageOf({ ...place, isFirst: true })),
    ordinary: await contentOf('text/html; charset=utf-8', pageOf({ ...place, isFirst: false }))
  }
  const policy = contentPolicy(api)
  const isFirst = createFirstLook(() => (fastify as unknown as Record<string, Users | undefined>)[decorator]?.users())

  fastify.route({
    method: 'GET',
    url: '/',
    prefixTrailingSlash: 'both',
    schema: { hide: true } as object,
    handler: async (request, reply) => {
      const [path = ''] = (request.raw.url ?? '').split('?')
      // What the page asks for is named relative to it, so that it can stand behind any path of a proxy.
      if (!path.endsWith('/')) return await reply.redirect(`${path.slice(path.lastIndexOf('/') + 1)}/`, 302)
      reply.headers({
        'cache-control': 'no-cache',
        'content-security-policy': policy,
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY'
      })
      return send(request, reply, await isFirst() ? pages.first : pages.ordinary)
    }
  })

  // The worker is under the same policy as the page: a browser takes it from the answer with its script.
  for (const { name, type, brotli } of assets) {
    // Made when somebody first asks: most starts of a host see no browser.
    let content: Promise<Content> | undefined
    const made = async (): Promise<Content> => {
      const br = Buffer.from(brotli, 'base64')
      return await contentOf(type, await decompress(br), br)
    }
    fastify.route({
      method: 'GET',
      url: `/assets/${name}`,
      schema: { hide: true } as object,
      handler: async (request, reply) => {
        reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', 'content-security-policy': policy })
        return send(request, reply, await (content ??= made()))
      }
    })
  }
}

export default dashboard

interface Users {
  users (): Promise<readonly unknown[]>
}

/** Whether there is nobody yet; where that cannot be told, the page offers both. */
function createFirstLook (users: () => Promise<readonly unknown[]> | undefined): () => Promise<boolean> {
  let until = 0
  let known: Promise<boolean> = Promise.resolve(false)
  return async () => {
    if (performance.now() < until) return await known
    until = performance.now() + freshMs
    known = Promise.resolve().then(users).then(all => all?.length === 0, () => false)
    return await known
  }
}

async function contentOf (type: string, content: string | Buffer, brotli?: Buffer): Promise<Content> {
  const identity = Buffer.from(content)
  const br = brotli ?? await compress(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
  return {
    type,
    etag: createHash('sha256').update(identity).digest('base64url').slice(0, 22),
    bodies: { br, gzip: await zip(identity, { level: 9 }), identity }
  }
}

function send ({ headers }: FastifyRequest, reply: FastifyReply, { type, etag, bodies }: Content): FastifyReply {
  const encoding = preferredOf(headers['accept-encoding'])
  // Each encoding is a representation of its own (RFC 9110 §8.8.3.3).
  const tag = `"${etag}-${encoding}"`
  reply.headers({ etag: tag, vary: 'Accept-Encoding', 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' })
  if (headers['if-none-match']?.split(',').some(one => ['*', tag].includes(one.trim().replace(/^W\//, ''))) === true) return reply.code(304).send()
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.type(type).send(bodies[encoding])
}
