/** The properties of a group that the fleet knows: what each may be, and what holds without it (docs/groups.md, Properties). */
import { isIP } from 'node:net'
import type { Group, PropertyValue } from '../../../types/resources.js'
import type { PropertyProblem } from '../../../types/runtime.js'

type Properties = Group['properties']

interface Rule {
  isRight (value: PropertyValue): boolean
  /** What it must be, for people. */
  readonly problem: string
}

/** Properties come as texts as well; what is no number is NaN. */
const numberFrom = (value: PropertyValue | undefined): number =>
  typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : NaN

const flag: Rule = { isRight: value => typeof value === 'boolean' || value === 'true' || value === 'false', problem: 'must be true or false' }

const whole = (least: number, most: number): Rule => ({
  isRight: value => Number.isInteger(numberFrom(value)) && numberFrom(value) >= least && numberFrom(value) <= most,
  problem: `must be a whole number, ${least} to ${most}`
})

const within = (least: number, most: number, what: string): Rule => ({
  isRight: value => numberFrom(value) >= least && numberFrom(value) <= most,
  problem: `must be ${what}, ${least} to ${most}`
})

const hostNamesIn = (text: string): string[] => text.split(',').map(name => name.trim().toLowerCase().replace(/\.$/, '')).filter(name => name !== '')
const isHostName = (name: string): boolean => name.length <= 253 && name.split('.').every(part => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(part))

/** JSON can say a number that is beyond every one (`1e400`), and nothing that is sent on can. */
const finite: Rule = { isRight: value => typeof value !== 'number' || Number.isFinite(value), problem: 'must be a finite number' }

const YEAR = 366 * 24 * 60 * 60

const rules: ReadonlyMap<string, Rule> = new Map([
  ['fallback', flag],
  ['static', flag],
  ['maxPlayers', whole(1, 1_000_000)],
  ['idleSeconds', within(0, YEAR, 'seconds')],
  ['drainSeconds', within(0, YEAR, 'seconds')],
  ['port', whole(1, 65_535)],
  ['keepConsole', whole(0, 100)],
  ['cpu', within(0.01, 1024, 'processors')],
  ['pids', whole(8, 1_000_000)],
  ['forcedHosts', { isRight: value => typeof value === 'string' && hostNamesIn(value).length <= 100 && hostNamesIn(value).every(isHostName), problem: 'must be names of hosts, 100 at most, separated by commas' }],
  ['host', { isRight: value => typeof value === 'string' && isIP(value) !== 0, problem: 'must be an IP address' }]
])

/** The names of those that are known. */
export const propertyNames = (): string[] => [...rules.keys()]

const ruleOf = (name: string): Rule => rules.get(name) ?? finite

/** Everything that is wrong with properties; those that are not known by name may have any value that the interface can show. */
export function problemsOf (properties: Properties): PropertyProblem[] {
  return Object.entries(properties).flatMap(([name, value]) => {
    const rule = ruleOf(name)
    return rule.isRight(value) ? [] : [{ name, problem: rule.problem }]
  })
}

/** Those that are right. */
export function rightOf (properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([name, value]) => ruleOf(name).isRight(value)))
}

type Of = Pick<Group, 'properties'>

/** The value of a property, where it is there and right. */
function read ({ properties }: Of, name: string): PropertyValue | undefined {
  const value = Object.hasOwn(properties, name) ? properties[name] : undefined
  return value === undefined || !ruleOf(name).isRight(value) ? undefined : value
}

const readNumber = (group: Of, name: string): number | undefined => {
  const value = read(group, name)
  return value === undefined ? undefined : numberFrom(value)
}

const isOn = (group: Of, name: string): boolean => [true, 'true'].includes(read(group, name) as boolean)

export const isFallback = (group: Of): boolean => isOn(group, 'fallback')

/** The names that players type in to come to one of its services. */
export const forcedHostsOf = (group: Of): readonly string[] => hostNamesIn((read(group, 'forcedHosts') ?? '') as string)

/** Whether what its services write is kept from life to life. */
export const isStatic = (group: Of): boolean => isOn(group, 'static')

/** How many players a service of the group takes, as long as it has not said so itself. */
export const slotsOf = (group: Of): number => readNumber(group, 'maxPlayers') ?? 20

/** Milliseconds that a surplus service may stay empty. */
export const idleOf = (group: Of): number => (readNumber(group, 'idleSeconds') ?? 180) * 1000

/** Milliseconds that players have to leave a service that is to go. */
export const drainOf = (group: Of): number => (readNumber(group, 'drainSeconds') ?? 300) * 1000

/** The port of the group's first service, where the group says one. */
export const firstPortOf = (group: Of): number | undefined => readNumber(group, 'port')

/** The address that its services listen on, where the group says one. */
export const hostOf = (group: Of): string | undefined => read(group, 'host') as string | undefined

/** How many processors a service may use, where the group says so. */
export const cpuOf = (group: Of): number | undefined => readNumber(group, 'cpu')

/** How many processes and threads a service may have. */
export const pidsOf = (group: Of): number => readNumber(group, 'pids') ?? 4096

/** How many compressed pieces of each service's console are kept. */
export const keepConsoleOf = (group: Of): number => readNumber(group, 'keepConsole') ?? 3
