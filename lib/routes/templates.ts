/** Templates (docs/interface.md, Templates). */
import { GroupDamaged, GroupTooLarge, SystemTemplate, TemplateInUse, TemplateMissing, TemplateTaken, TemplatesFull, UnsupportedTemplates, invalid } from '../errors.js'
import { Envelope, Message, NoContent, NotModified, noContent, ok, message } from '../schemas/envelope.js'
import { Template } from '../schemas/resources.js'
import { Type } from '../typebox.js'
import { createListHandler } from '../http/list-answers.js'
import { TemplateBody, TemplateParams } from '../schemas/requests.js'
import type { Routes } from './parts.js'

const tags = ['templates']

export const templateRoutes: Routes = async (scope, { cloud: { templates, lists }, leaving, permit, waiting }) => {
  scope.route({
    method: 'GET',
    url: '/templates/list',
    config: { cloud: { access: 'templates.list' } },
    schema: {
      operationId: 'listTemplates',
      summary: 'List all templates',
      tags,
      response: { 200: Envelope(Type.Array(Template)), 304: NotModified }
    },
    handler: createListHandler(lists.templates, ok, leaving)
  })

  scope.route({
    method: 'POST',
    url: '/template/',
    config: {
      cloud: {
        access: 'templates.create',
        audit: 'template.created',
        failures: [invalid('Template name'), TemplateTaken, SystemTemplate, TemplatesFull, UnsupportedTemplates]
      }
    },
    schema: {
      operationId: 'createTemplate', summary: 'Create an empty template', tags, body: TemplateBody, response: { 202: Message }
    },
    handler: async (request, reply) => {
      await templates.create(permit(request), request.body.name, waiting(request, reply))
      return message(202, 'Template created successfully')
    }
  })

  scope.route({
    method: 'PATCH',
    url: '/template/:templateName',
    config: {
      cloud: {
        access: 'templates.edit',
        audit: 'template.renamed',
        failures: [invalid('Template name'), GroupTooLarge, TemplateMissing, TemplateTaken, SystemTemplate, GroupDamaged, UnsupportedTemplates]
      }
    },
    schema: {
      operationId: 'renameTemplate',
      summary: 'Rename a template, in the groups that use it as well',
      tags,
      params: TemplateParams,
      body: TemplateBody,
      response: { 202: Message }
    },
    handler: async (request, reply) => {
      await templates.rename(permit(request), request.params.templateName, request.body.name, waiting(request, reply))
      return message(202, 'Template edited successfully')
    }
  })

  scope.route({
    method: 'DELETE',
    url: '/template/:templateName',
    config: {
      cloud: {
        access: 'templates.delete',
        audit: 'template.deleted',
        failures: [TemplateMissing, TemplateInUse, SystemTemplate, UnsupportedTemplates]
      }
    },
    schema: {
      operationId: 'deleteTemplate', summary: 'Delete a template', tags, params: TemplateParams, response: { 204: NoContent }
    },
    handler: async (request, reply) => {
      await templates.delete(permit(request), request.params.templateName, waiting(request, reply))
      return noContent
    }
  })
}
