/** How the dashboard of PoloCloud writes what it sends, and reads what it gets. */

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The name of a template, which may come as `{ name, size }`. */
const nameOf = (template: unknown): unknown => isFields(template) ? template['name'] : template

/** A request about a group in the words of the cloud. */
export function groupRequest ({ groupProperties, ...body }: Fields): Fields {
  const { properties = groupProperties, templates } = body
  return {
    ...body,
    ...(properties !== undefined && { properties: isFields(properties) ? readProperties(properties) : properties }),
    ...(templates !== undefined && { templates: Array.isArray(templates) ? templates.map(nameOf) : templates })
  }
}

function readProperties ({ staticService, ...properties }: Fields): Fields {
  return { ...properties, ...(staticService !== undefined && { static: staticService }) }
}

const role = (user: Fields): Fields => isFields(user['role']) ? { ...user, role: user['role']['id'] } : user
const group = (given: Fields): Fields => {
  const known = given['properties'] as Fields
  const properties = { ...known, staticService: known['static'] ?? false }
  const templates = given['templates'] as readonly string[]
  return { ...given, properties, groupProperties: properties, templates: templates.map(name => ({ name, size: 'unknown' })) }
}
/** Those of a service are texts. */
const service = (given: Fields): Fields => {
  const properties = given['properties'] as Fields
  return { ...given, properties: { ...properties, staticService: properties['static'] ?? 'false' } }
}
const token = (given: Fields): Fields => ({ ...given, ...given['data'] as Fields })
const player = (given: Fields): Fields => ({ ...given, uuid: given['uuid'] ?? given['uniqueId'], uniqueId: given['uniqueId'] ?? given['uuid'] })
const point = (given: Fields): Fields => ({ ...given, timestamp: Math.floor((given['timestamp'] as number) / 1_000) })

type Change = (body: any) => unknown
const inData = (change: (item: Fields) => Fields): Change => body => ({
  ...body, data: Array.isArray(body.data) ? body.data.map(change) : isFields(body.data) ? change(body.data) : body.data
})
const bare = (change: (item: Fields) => Fields): Change => body => Array.isArray(body) ? body.map(change) : change(body)

const changes: ReadonlyArray<readonly [route: RegExp, change: Change]> = [
  [/^GET \/users$/, inData(role)],
  [/^GET \/user\/tokens$/, inData(token)],
  [/^GET \/user\/keys$/, body => body],
  [/^GET \/user\/[^/]+$/, inData(role)],
  [/^GET \/system\/information\/(?:minutes|hours|days)$/, inData(point)],
  [/^GET \/services\/list$/, inData(service)],
  [/^GET \/service\/[^/]+$/, inData(service)],
  [/^GET \/player\/[^/]+$/, inData(player)],
  [/^GET \/players\/list$/, inData(player)],
  [/^GET \/groups\/list$/, inData(group)],
  [/^GET \/groups?\/count$/, body => body],
  [/^GET \/group\/[^/]+$/, bare(group)],
  [/^(?:POST|PATCH) \/group\/[^/]+$/, inData(group)]
]

/** What becomes of the answer to that route; undefined where it stays as it is. */
export function shown (method: string, path: string): Change | undefined {
  const asked = `${method === 'HEAD' ? 'GET' : method} ${path}`
  return changes.find(([route]) => route.test(asked))?.[1]
}
