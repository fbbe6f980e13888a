/** What each permission lets somebody do, in words of whoever gives it; what is like each other stands together, what is needed first comes first. */

export interface PermissionWords {
  /** What it is about. */
  readonly kind: string
  readonly opens: string
  /** Without these the page shows nothing where it could be used. */
  readonly needs: readonly string[]
}

/** The interface alone has a use for it. */
const ofScripts = 'for scripts; the dashboard does without'

type Told = readonly [name: string, opens: string, ...needs: readonly string[]]

const kinds: ReadonlyArray<readonly [kind: string, told: readonly Told[]]> = [
  ['Groups', [
    ['group.list', 'See the groups and their settings'],
    ['group.get', 'See why a group is as it is, and how far its restart is', 'group.list'],
    ['group.create', 'Make groups', 'group.list', 'platform.list'],
    ['group.edit', 'Change limits, templates, properties and the version of a group', 'group.list'],
    ['group.restart', 'Restart the services of a group, one after the other', 'group.list'],
    ['group.delete', 'Delete a group, and stop all that runs of it', 'group.list'],
    ['group.count', `Count groups; ${ofScripts}`]
  ]],
  ['Services', [
    ['service.list', 'See the services, their state and how many players they have'],
    ['service.screen', 'Read the consoles', 'service.list'],
    ['service.execute', 'Send commands to consoles', 'service.list', 'service.screen'],
    ['service.restart', 'Restart a service', 'service.list'],
    ['service.count', `Count services; ${ofScripts}`]
  ]],
  ['Players', [
    ['players.list', 'See who is connected, and where'],
    ['player.get', `Find one player by name; ${ofScripts}`]
  ]],
  ['Templates and platforms', [
    ['templates.list', 'See the templates by name'],
    ['templates.create', 'Make empty templates', 'templates.list'],
    ['templates.edit', 'Rename templates', 'templates.list'],
    ['templates.delete', 'Delete templates with all of their files', 'templates.list'],
    ['template.files.read', 'See and download the files of templates, with the passwords that stand in them', 'templates.list'],
    ['template.files.write', 'Change, upload and delete files of templates: what they start is run by services', 'templates.list', 'template.files.read'],
    ['platform.list', 'See the platforms and their versions']
  ]],
  ['Roles', [
    ['role.list', 'See the roles, and what each may'],
    ['role.create', 'Make roles, with what one may oneself', 'role.list'],
    ['role.edit', 'Change roles', 'role.list'],
    ['role.delete', 'Delete roles that nobody holds', 'role.list'],
    ['role.get', `Ask for one role; ${ofScripts}`]
  ]],
  ['The whole cloud', [
    ['system.information', 'See what the cloud uses, now and over time'],
    ['audit.list', 'See what was done and tried, by whom and from where'],
    // What its commands do stands in no summary (docs/interface.md, Terminal).
    ['terminal.command', 'Nearly everything, whatever else is held or not: the terminal lists services, groups and players, starts, stops, restarts and kills services, creates and deletes groups, and fetches platforms'],
    ['metrics', `The metrics for Prometheus; ${ofScripts}`],
    ['ws.logs', `Follow the log of the core; ${ofScripts}`],
    ['ws.alive', `Hear that the core is there; ${ofScripts}`],
    ['ws.service.update', `Hear of services that change; ${ofScripts}`],
    ['system.version', `The version of the product; ${ofScripts}`]
  ]]
]

/** By name below the namespace, in the order in which they are shown. */
export const permissionWords: ReadonlyMap<string, PermissionWords> = new Map(kinds.flatMap(([kind, all]) => all.map(([name, opens, ...needs]) => [name, { kind, opens, needs }] as const)))
