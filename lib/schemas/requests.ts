/** What requests carry, field by field in the order of the specification: that order decides which rule is named first. */
import { checkName } from './account-names.js'
import { checkKeyAddresses, checkKeyLabel, checkKeyPermissions } from './key-form.js'
import { checkColour, checkPermissions } from './role-form.js'
import { type GroupNumber, checkGroupName, checkNumber, checkProperties, numberFailures, propertyFailures } from './group-form.js'
import { EmptyPlayerName, type Failure, InvalidPagination, InvalidRange, InvalidRoleId, UnknownTopic, invalid } from '../errors.js'
import { Refused, Ruled, Text, Time, Whole, refusal, timeRange } from './field.js'
import { FreeKeys, PropertyValue } from './resources.js'
import { type TProperties, Type } from '../typebox.js'
import { topicNames } from './topics.js'

export const RangeQuery = timeRange(InvalidRange)

export const LoginBody = Type.Object({ username: Text('Username'), password: Text('Password') })

export const FirstUserBody = Type.Object({
  username: Text('Username'),
  password: Text('Password'),
  roleId: Type.Optional(Type.Literal(-1, { title: 'Role ID', description: '-1, the admin role' }))
})

export const NewUserBody = Type.Object({
  username: Ruled(Text('Username'), name => { checkName(name, 'Username') }),
  roleId: Type.Optional(Whole('Role ID', 'Default 0'))
})

export const UserParams = Type.Object({ uuid: Type.String() })
export const UserRoleBody = Type.Object({ uuid: Text('UUID'), roleId: Whole('Role ID') })
export const UsernameBody = Type.Object({ username: Text('Username') })
/** A current password is looked at where the host asks for it, and nowhere else. */
export const passwordBody = (isCurrentRequired: boolean) => Type.Object({
  password: Text('Password'),
  ...(isCurrentRequired && { currentPassword: Text('Current password') })
})

export const RoleParams = Refused({ id: Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER }) }, InvalidRoleId)
export const RoleBody = Type.Object({
  label: Ruled(Text('Role label'), label => { checkName(label, 'Role label') }),
  hexColor: Ruled(Text('Role hexColor', '#RGB or #RRGGBB'), checkColour),
  permissions: Type.Optional(Ruled(Type.Array(Type.String(), { title: 'Role permissions' }), given => { checkPermissions(given) }))
})

export const KeyParams = Type.Object({ id: Type.String() })
export const KeyBody = Type.Object({
  label: Ruled(Text('Key label'), checkKeyLabel),
  permissions: Ruled(Type.Array(Type.String(), { title: 'Key permissions', description: 'Of those that the owner holds' }), checkKeyPermissions),
  addresses: Type.Optional(Ruled(Type.Array(Type.String(), {
    title: 'Key addresses', description: 'From where it is accepted: addresses and networks such as 192.0.2.0/24; none: from anywhere'
  }), checkKeyAddresses)),
  expiresAt: Type.Optional(Time('Key expiresAt', 'Milliseconds since the Unix epoch, in the future; absent: it does not expire'))
})

export const TemplateParams = Type.Object({ templateName: Type.String() })
export const TemplateBody = Type.Object({ name: Text('Template name') })

export const TemplateFileParams = Type.Object({ templateName: Type.String(), '*': Type.String({ description: 'Of the file, from the template on, with `/` between names' }) })
export const TemplateFileQuery = Type.Object({
  mode: Type.Optional(Type.String({ title: 'Template file mode', pattern: '^0?[0-7]{3}$', description: 'Its rights, `0755` for instance. Default: those of the file that it replaces, else `0644`' }))
})
export const ArchiveQuery = Type.Object({
  replace: Type.Optional(Type.String({ title: 'Replace', pattern: '^(?:true|false)$', description: '`true`: the template has these files then, and no others. Default `false`' }))
})

export const ServiceParams = Type.Object({ serviceName: Type.String() })
export const CommandBody = Type.Object({ command: Text('Command') })

export const PlayerParams = Refused({ playerName: Type.String({ pattern: '\\S' }) }, EmptyPlayerName)
export const PageQuery = Refused({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Default 1' })),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Default 20' }))
}, InvalidPagination)

/** The same fields, each of which is answered by that failure where it is wrong. */
const mapped = <T extends TProperties>(properties: T, failure: Failure): T =>
  Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, { ...field, [refusal]: failure }])) as unknown as T
export const AuditQuery = Type.Object({
  ...mapped(RangeQuery.properties, InvalidRange),
  user: Type.Optional(Type.String({ title: 'User', description: 'A uuid or a name' })),
  action: Type.Optional(Type.String({ title: 'Action', description: 'For instance `login.failed`' })),
  ...mapped(PageQuery.properties, InvalidPagination)
})

const topic = `(?:${topicNames.join('|')})`
export const EventQuery = Refused({
  topics: Type.Optional(Type.String({
    pattern: `^\\s*(?:${topic}(?:\\s*,\\s*${topic})*\\s*)?$`,
    description: `Some of ${topicNames.join(', ')}, with commas between them. Default: all that the caller may list`
  })),
  since: Type.Optional(Type.Any({ type: 'string', description: 'The id of the last event; what came after it follows. A header Last-Event-ID counts before it' }))
}, UnknownTopic)

const Amount = (field: GroupNumber, description: string) =>
  Ruled(Type.Number({ title: `Group ${field}`, description }), (_value, numbers) => { checkNumber(field, numbers) }, numberFailures(field))
const numbers = {
  minMemory: Amount('minMemory', 'MB'),
  maxMemory: Amount('maxMemory', 'MB'),
  minOnlineService: Amount('minOnlineService', 'Services that are always online'),
  maxOnlineService: Amount('maxOnlineService', 'Services that there are at most')
}
const percentageToStartNewService = Amount('percentageToStartNewService', '0 to 100; 0 switches it off')

export const GroupParams = Type.Object({ name: Type.String() })
export const NewGroupBody = Type.Object({
  name: Ruled(Text('Group name'), checkGroupName),
  ...numbers,
  platform: Type.Object({
    name: Text('Group platform.name'),
    version: Text('Group platform.version')
  }, { title: 'Group platform.name' }),
  percentageToStartNewService,
  properties: Ruled(FreeKeys(PropertyValue, { title: 'Group properties' }), checkProperties, [invalid('Group properties'), ...propertyFailures]),
  templates: Type.Optional(Type.Array(Type.String(), { title: 'Group templates' })),
  createdAt: Type.Optional(Type.Number({ title: 'Group createdAt', description: 'Milliseconds since the Unix epoch' }))
})
export const GroupChangesBody = Type.Partial(Type.Object({
  ...numbers,
  percentageToStartNewService,
  properties: Ruled(FreeKeys(PropertyValue, { title: 'Group properties', description: 'Replaced whole' }), checkProperties, propertyFailures),
  templates: Type.Array(Type.String(), { title: 'Group templates', description: 'Replaced whole' }),
  platform: Type.Object({
    name: Type.Optional(Type.String({ title: 'Group platform.name', description: 'Cannot become another' })),
    version: Text('Group platform.version')
  }, { title: 'Group platform' })
}))
