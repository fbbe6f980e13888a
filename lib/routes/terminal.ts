/** The terminal (docs/interface.md, Terminal). */
import { tell } from '../access/audit.js'
import {
  GroupDamaged, GroupNotFound, GroupTaken, NoPlatform, PlatformNotFound, PlatformVersionNotFound, ServiceNotFound, UnknownCommand,
  UnsupportedGroupControl, UnsupportedServiceControl, commandRefused, groupAtMaximum, invalid, noPortLeft, serviceRunning, usage
} from '../errors.js'
import { Envelope, created } from '../schemas/envelope.js'
import { Type } from '../typebox.js'
import { CommandBody } from '../schemas/requests.js'
import type { Routes } from './parts.js'

export const terminalRoutes: Routes = async (scope, { cloud: { terminal }, live, permit }) => {
  scope.route({
    method: 'POST',
    url: '/terminal/command',
    config: {
      cloud: {
        access: 'terminal.command',
        audit: 'terminal.command',
        isLong: true,
        failures: [
          invalid('Command'), usage('The usage of the command'), UnknownCommand, commandRefused('What the terminal of the runtime says'),
          ServiceNotFound, serviceRunning('<name>'), groupAtMaximum('<name>'), noPortLeft('<name>'), UnsupportedServiceControl,
          invalid('Group name'), GroupNotFound, GroupDamaged, NoPlatform, PlatformNotFound, PlatformVersionNotFound, GroupTaken, UnsupportedGroupControl
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
      const { command } = request.body
      tell(request, { command: command.trim() })
      const output = await terminal.execute(permit(request), command)
      live.topics.say([`> ${command}`, ...output])
      return created({ output }, 'Command executed')
    }
  })
}
