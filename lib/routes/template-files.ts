/** The files of templates (docs/interface.md, Templates). */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import type { TemplateFile as TemplateFileData } from '../../types/resources.js'
import { tell } from '../access/audit.js'
import type { Permit } from '../access/caller.js'
import type { Body } from '../cloud/template-files.js'
import {
  TemplateArchiveInvalid, TemplateFileNotFound, TemplateFileTooLarge, TemplateNotFound, TemplatesFull, TooManyDownloads, TooManyUploads, UnsupportedTemplates,
  UploadStalled, invalid, templateArchiveTooLarge, templateEntryTooLarge, templateFileRefused
} from '../errors.js'
import { readPieces } from '../http/bodies.js'
import { createBytes } from '../http/list-answers.js'
import { createDownloads } from '../http/long-answers.js'
import { asJson } from '../http/response-cache.js'
import { ArchiveQuery, TemplateFileParams, TemplateFileQuery, TemplateParams } from '../schemas/requests.js'
import { Envelope, Message, NoContent, noContent, ok, message } from '../schemas/envelope.js'
import { TemplateFile } from '../schemas/resources.js'
import { type TSchema, Type } from '../typebox.js'
import type { Routes } from './parts.js'

const tags = ['templates']
const Bytes = (...types: readonly string[]) =>
  ({ content: Object.fromEntries(types.map(type => [type, { schema: Type.String({ format: 'binary' }) }])) }) as unknown as TSchema
const anywhere = [TemplateNotFound, UnsupportedTemplates]
const refused = templateFileRefused('../server.jar', 'leads out of the template')
const upload = [TemplatesFull, UploadStalled, TooManyUploads, refused]

export const templateFileRoutes: Routes = async (scope, { callers, cloud: { templateFiles: files }, leaving, permit, waiting, settings: { maxTemplateFile } }) => {
  /** The path that an address ends with; the slash that any may end with is none of its own. */
  const pathOf = (params: { readonly '*': string }): string => params['*'].replace(/\/$/, '')

  const download = createDownloads(leaving)
  const callerOf = (request: FastifyRequest<any>): { readonly user: string, readonly permit: Permit } => ({ user: callers.of(request).user.uuid, permit: permit(request) })
  const listBytes = createBytes<TemplateFileData>(ok)

  const bodyOf = (request: FastifyRequest<any>): Body => ({
    ...callerOf(request),
    // Fastify looks for a body where its length or its type is told, which over HTTP/2 is neither's business.
    bytes: readPieces(request.body instanceof Readable ? request.body : request.raw)
  })

  scope.route({
    method: 'GET',
    url: '/template/:templateName/files',
    config: { cloud: { access: 'template.files.read', failures: [...anywhere, TooManyDownloads] } },
    schema: {
      operationId: 'listTemplateFiles', summary: 'List the files of a template', tags, params: TemplateParams, response: { 200: Envelope(Type.Array(TemplateFile)) }
    },
    handler: async (request, reply) => asJson(reply as never, await download(reply as never, callerOf(request), async gone => {
      const pieces = await files.list(request.params.templateName, gone)
      // Nobody would read what a HEAD opens.
      return Readable.from(request.method === 'HEAD' ? [] : listBytes(pieces))
    })) as never
  })

  scope.route({
    method: 'GET',
    url: '/template/:templateName/file/*',
    config: { cloud: { access: 'template.files.read', wildcard: 'path', failures: [...anywhere, TooManyDownloads, refused, TemplateFileNotFound] } },
    schema: {
      operationId: 'getTemplateFile',
      summary: 'Get a file of a template',
      description: 'As an attachment.',
      tags,
      params: TemplateFileParams,
      response: { 200: Bytes('text/plain', 'application/octet-stream') }
    },
    handler: async (request, reply) => {
      const path = pathOf(request.params)
      const content = await download(reply as never, callerOf(request), async gone => {
        const file = await files.open(request.params.templateName, path, gone)
        const pieces = file.content[Symbol.asyncIterator]()
        const first = await pieces.next()
        const rest: AsyncIterableIterator<Uint8Array> = {
          [Symbol.asyncIterator]: () => rest,
          next: async () => await pieces.next(),
          return: async () => await (pieces.return?.() ?? { done: true, value: undefined })
        }
        const whole = Readable.from(rest, { objectMode: false })
        if (first.done !== true) whole.unshift(first.value)
        reply.headers({
          'content-type': first.done === true || isText(first.value) ? 'text/plain; charset=utf-8' : 'application/octet-stream',
          'content-length': String(file.size)
        })
        if (request.method === 'HEAD') whole.destroy()
        return request.method === 'HEAD' ? Readable.from([]) : whole
      })
      return send(reply, content, path.split('/').at(-1) as string)
    }
  })

  scope.route({
    method: 'PUT',
    url: '/template/:templateName/file/*',
    config: {
      cloud: {
        access: 'template.files.write',
        audit: 'template.file-written',
        wildcard: 'path',
        takesStream: 'application/octet-stream',
        failures: [...anywhere, ...upload, invalid('Template file mode'), TemplateFileTooLarge]
      }
    },
    schema: {
      operationId: 'putTemplateFile',
      summary: 'Put a file into a template, whole or not at all',
      description: 'A body of any type is the file.',
      tags,
      params: TemplateFileParams,
      querystring: TemplateFileQuery,
      response: { 200: Message, 201: Message }
    },
    handler: async request => {
      const path = pathOf(request.params)
      tell(request, { path })
      if (Number(request.headers['content-length'] ?? 0) > maxTemplateFile) throw TemplateFileTooLarge
      const isNew = await files.put(request.params.templateName, path, request.query.mode?.padStart(4, '0'), bodyOf(request))
      return isNew ? message(201, 'Template file created successfully') : message(200, 'Template file replaced successfully') as never
    }
  })

  scope.route({
    method: 'DELETE',
    url: '/template/:templateName/file/*',
    config: { cloud: { access: 'template.files.write', audit: 'template.file-deleted', wildcard: 'path', failures: [...anywhere, refused, TemplateFileNotFound] } },
    schema: {
      operationId: 'deleteTemplateFile', summary: 'Delete a file of a template', tags, params: TemplateFileParams, response: { 204: NoContent }
    },
    handler: async (request, reply) => {
      const path = pathOf(request.params)
      tell(request, { path })
      await files.delete(permit(request), request.params.templateName, path, waiting(request, reply))
      return noContent
    }
  })

  scope.route({
    method: 'GET',
    url: '/template/:templateName/archive',
    config: { cloud: { access: 'template.files.read', failures: [...anywhere, TooManyDownloads] } },
    schema: {
      operationId: 'getTemplateArchive', summary: 'Get all files of a template as an archive', description: 'A tar.gz.', tags, params: TemplateParams, response: { 200: Bytes('application/gzip') }
    },
    handler: async (request, reply) => {
      const { templateName } = request.params
      const content = await download(reply as never, callerOf(request), async gone => {
        if (request.method !== 'HEAD') return await files.pack(templateName, gone)
        await files.list(templateName, gone)
        return Readable.from([])
      })
      return send(reply.header('content-type', 'application/gzip'), content, `${templateName}.tar.gz`)
    }
  })

  scope.route({
    method: 'POST',
    url: '/template/:templateName/archive',
    config: {
      cloud: {
        access: 'template.files.write',
        audit: 'template.archive-unpacked',
        isLong: true,
        takesStream: 'application/gzip',
        failures: [...anywhere, ...upload, TemplateArchiveInvalid, templateArchiveTooLarge('world/region/r.0.0.mca'), templateEntryTooLarge('world/region/r.0.0.mca')]
      }
    },
    schema: {
      operationId: 'unpackTemplateArchive',
      summary: 'Take the files of an archive into a template, whole or not at all',
      description: 'A tar.gz. Ordinary files only: an archive with a link, a device, a set-uid bit or a path that leads elsewhere is refused whole.',
      tags,
      params: TemplateParams,
      querystring: ArchiveQuery,
      response: { 200: Envelope(Type.Object({ added: Type.Integer(), replaced: Type.Integer() })) }
    },
    handler: async request => {
      const replace = request.query.replace === 'true'
      tell(request, { replace })
      return ok(await files.unpack(request.params.templateName, replace, bodyOf(request)), 'Template archive unpacked successfully')
    }
  })
}

/** UTF-8 without a NUL, as far as its first piece shows; the piece may end inside of a character. */
function isText (piece: Uint8Array): boolean {
  try {
    return !piece.includes(0) && new TextDecoder('utf-8', { fatal: true }).decode(piece, { stream: true }) !== ''
  } catch {
    return false
  }
}

/** RFC 6266: a plain name for old clients, the right one for all others. */
const attachment = (name: string): string =>
  `attachment; filename="${name.replace(/[^A-Za-z0-9._-]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)}`

/** Never anything that a browser would run. */
function send (reply: { headers (headers: object): unknown }, content: Readable, name: string): never {
  reply.headers({ 'content-disposition': attachment(name), 'content-security-policy': "default-src 'none'; sandbox" })
  return (reply as FastifyReply).send(content) as never
}
