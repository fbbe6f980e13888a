/** `fastify-cloud`: the plugin, and the types of everything that is passed to it. */
import type { CloudDecorator } from '../types/host.js'

export { fastifyCloud, fastifyCloud as default } from './plugin.js'
export { SetupError, type SetupErrorCode } from '../types/errors.js'
export { Failure } from './errors.js'
export { resetPassword } from './accounts/reset-password.js'
export { type OperatorKey, createKey, deleteKey, listKeys } from './accounts/operator-keys.js'
export { userPermissions } from './accounts/default-permissions.js'
export type * from '../types/events.js'
export type * from '../types/host.js'
export type * from '../types/options.js'
export type * from '../types/permissions.js'
export type * from '../types/resources.js'
export type * from '../types/runtime.js'
export type * from '../types/storage.js'
export type * from '../types/template-files.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The plugin of `fastify-cloud`, unless the option `decorator` gave it another name. */
    cloud: CloudDecorator
  }
}
