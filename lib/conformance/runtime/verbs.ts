/** The verbs of the contract by their names, and calls of them in words. */
import assert from 'node:assert/strict'
import type { Group } from '../../../types/resources.js'
import type { CallOptions, GroupControl, ServiceControl, ServiceForce, Templates } from '../../../types/runtime.js'
import { show } from '../suite.js'

/** All verbs, by the names that they have in the contract. */
export type Verbs =
  & { readonly [Verb in keyof ServiceControl as `services.${Verb}`]: ServiceControl[Verb] }
  & { readonly [Verb in keyof ServiceForce as `services.${Verb}`]: ServiceForce[Verb] }
  & { readonly [Verb in keyof GroupControl as `groups.${Verb}`]: GroupControl[Verb] }
  & { readonly [Verb in 'create' | 'rename' | 'delete' as `templates.${Verb}`]: Templates[Verb] }

/** What a verb takes besides the signal. */
export type Given<V> = V extends (...given: [...infer G, CallOptions]) => unknown ? G : never

/** A call in one line. */
export const described = (verb: string, given: readonly unknown[]): string =>
  `${verb}(${given.map(one => typeof one === 'string' || verb !== 'groups.create' ? show(one) : `{ name: ${show((one as Group).name)}, … }`).join(', ')})`

/** Fails for what a call has answered. */
export function fail (verb: string, given: readonly unknown[], answer: unknown, expected: string): never {
  assert.fail(`${described(verb, given)} must answer ${expected}, and answered ${show(answer)}`)
}
