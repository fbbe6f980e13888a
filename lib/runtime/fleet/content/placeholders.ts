/** What stands for something of the service in a platform's command, args, env and files. */
import type { Plan } from '../../../../types/engine.js'

/** Those that are known before it is known where a service runs. */
export const FLEET_PLACEHOLDERS = ['name', 'group', 'version', 'minMemory', 'maxMemory', 'maxPlayers'] as const
/** Those that say where it runs. */
export const ENGINE_PLACEHOLDERS = ['host', 'port', 'directory', 'platformDirectory'] as const

/** Those that nobody but the service may see. */
export const SECRET_PLACEHOLDERS = ['secret:forwarding'] as const

/** Where an engine puts a service, as the service itself sees it. */
export type Place = Readonly<Record<typeof ENGINE_PLACEHOLDERS[number], string>>

/** What is to run, with nothing left open. */
export interface FilledPlan {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Texts by their path in the working directory. */
  readonly files: Readonly<Record<string, string>>
  /** The paths of those that hold a secret: nobody but the service may read them. */
  readonly secretFiles: readonly string[]
}

const PLACEHOLDER = /\$\{([^{}]*)\}/g

/** The names of all placeholders in a text. */
export function placeholdersIn (text: string): string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name)
}

/** Puts the values in, in one pass: what a value contains is never looked at again. Unknown ones stay as they are. */
export function fill (text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(PLACEHOLDER, (whole, key: string) => Object.hasOwn(values, key) ? values[key] as string : whole)
}

/** Puts an engine's own values into a plan, together with those that the fleet has given it. */
export function fillPlan (plan: Plan, place: Place): FilledPlan {
  const values = { ...plan.values, ...place }
  const filled = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fill(text, values)]))
  return {
    command: fill(plan.command, values),
    args: plan.args.map(text => fill(text, values)),
    env: filled(plan.env),
    files: filled(plan.files),
    secretFiles: Object.entries(plan.files).flatMap(([path, text]) => holdsSecret(text) ? [path] : [])
  }
}

const holdsSecret = (text: string): boolean => placeholdersIn(text).some(isSecret)

/** Whether a placeholder stands for something that nobody but the service may see. */
export const isSecret = (placeholder: string): boolean => placeholder.startsWith('secret:')
