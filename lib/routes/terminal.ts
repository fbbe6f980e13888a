/** The terminal (docs/interface.md, Terminal). */
import {
  GroupNotFound, GroupTaken, NoPlatform, PlatformNotFound, PlatformVersionNotFound, ServiceNotFound, UnknownCommand,
  UnsupportedGroupControl, UnsupportedServiceControl, commandRefused, groupAtMaximum, invalid, serviceRunning, usage
} from '../errors.js'
import { Envelope, created } from '../schemas/envelope.js'
import { Type } from '../typebox.js'
import { CommandBody } from '../schemas/requests.js'
import type { Routes } from './parts.js'

export const terminalRoutes: Routes = async (scope, { audit, cloud: { terminal }, live, permit }) => {
  scope.route({
    method: 'POST',
    url: '/terminal/command',
    config: {
      cloud: {
        access: 'terminal.command',
        failures: [
          invalid('Command'), usage('The usage of the command'), UnknownCommand, commandRefused('What the terminal of the runtime says'),
          ServiceNotFound, serviceRunning('<name>'), groupAtMaximum('<name>'), UnsupportedServiceControl,
          invalid('Group name'), GroupNotFound, NoPlatform, PlatformNotFound, PlatformVersionNotFound, GroupTaken, UnsupportedGroupControl
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
      const act = terminal.execute(permit(request), body.command)
      audit.act(request, 'terminal.command', act, { more: { command: body.command.trim() }, isLong: true })
      const output = await act
      live.topics.say([`> ${body.command}`, ...output])
      return created({ output }, 'Command executed')
    }
  })
}
