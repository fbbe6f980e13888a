/** The terminal (docs/interface.md, Terminal). */
import { touch } from '../cloud/faults.js'
import {
  GroupNotFound, GroupTaken, PlatformNotFound, PlatformVersionNotFound, ServiceNotFound, UnsupportedGroupControl, usage
} from '../errors.js'
import { Envelope, created } from '../schemas/envelope.js'
import { Type } from '../typebox.js'
import { CommandBody } from '../schemas/requests.js'
import type { Routes } from './parts.js'

export const terminalRoutes: Routes = async (scope, { audit, cloud: { terminal }, live, settings: { runtime }, permit }) => {
  scope.route({
    method: 'POST',
    url: '/terminal/command',
    config: {
      cloud: {
        access: 'terminal.command',
        failures: [
          usage('The usage of the command'), ServiceNotFound, GroupNotFound, PlatformNotFound, PlatformVersionNotFound,
          GroupTaken, UnsupportedGroupControl
        ]
      }
    },
    schema: {
      operationId: 'runCommand',
      summary: 'Run a management command',
      tags: ['terminal'],
      body: CommandBody,
      response: { 201: Envelope(Type.Object({ output: Type.Array(Type.String()) })) }
    },
    handler: async request => {
      const { body } = request
      // What a command of ours changes has to be found again; what a runtime's own terminal takes may be a secret.
      const more = touch(() => runtime.terminal) === undefined ? { command: body.command.trim() } : {}
      const act = terminal.execute(permit(request), body.command)
      audit.act(request, 'terminal.command', act, { more, isLong: true })
      const output = await act
      live.topics.say([`> ${body.command}`, ...output])
      return created({ output }, 'Command executed')
    }
  })
}
