/** The audit (docs/interface.md, Audit). */
import { InvalidPagination, InvalidRange } from '../errors.js'
import { Envelope, ok } from '../schemas/envelope.js'
import { AuditQuery } from '../schemas/requests.js'
import { AuditEntry } from '../schemas/resources.js'
import { Type } from '../typebox.js'
import type { Routes } from './parts.js'

const AuditPage = Type.Object({
  page: Type.Integer(), size: Type.Integer(), total: Type.Integer(), totalPages: Type.Integer(), entries: Type.Array(AuditEntry)
})

export const auditRoutes: Routes = async (scope, { auditLog }) => {
  scope.route({
    method: 'GET',
    url: '/audit',
    config: { cloud: { access: 'audit.list', failures: [InvalidRange, InvalidPagination] } },
    schema: {
      operationId: 'listAudit',
      summary: 'List what was done, and tried, the newest first',
      tags: ['audit'],
      querystring: AuditQuery,
      response: { 200: Envelope(AuditPage) }
    },
    handler: async ({ query: { from = 0, to = Number.MAX_SAFE_INTEGER, page = 1, size = 20, ...filter } }) => {
      if (from > to) throw InvalidRange
      const { total, entries } = await auditLog.list({ from, to, page, size, ...filter })
      return ok({ page, size, total, totalPages: Math.ceil(total / size), entries })
    }
  })
}
