/**
 * One core to a cloud at an engine or a swarm, wherever the cores are. Whoever makes a thing of a name there first has it for good, and everybody
 * else is told whose it is: so each sign of life has the next number, and who finds another's behind its own is not the one any more.
 *
 * A core that is started again in the same directory, which it holds, follows itself at once; any other waits until nothing new comes.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { SetupError } from '../fleet/index.js'
import type { Client, Docker } from './client.js'
import { LABEL } from './marks.js'

export interface Lease {
  /** Gives the sign of life that is due; false: another core has the cloud. */
  renew (): Promise<boolean>
  release (): Promise<void>
}

/** One sign of life. */
export interface Sign {
  readonly number: number
  readonly owner: string
}

/** Where signs of life are kept. */
export interface Signs {
  /** All that are there, the latest first. */
  list (): Promise<Sign[]>
  /** Makes one where none has this number, and answers whose it is now. */
  make (number: number, owner: string): Promise<string>
  /** Takes one away; nothing depends on it. */
  remove (number: number): Promise<void>
}

export interface LeaseParts {
  readonly signs: Signs
  readonly cloud: string
  /** Tells this directory from others. */
  readonly owner: string
  /** Milliseconds between two signs of life. */
  readonly every: number
}

/** So many signs may be missing. */
const MISSING = 3

/** Takes the cloud, or throws that another core has it. */
export async function takeLease ({ signs, cloud, owner, every }: LeaseParts): Promise<Lease> {
  const inUse = (): SetupError => new SetupError('CLOUD_ERR_DIRECTORY_IN_USE',
    `Another core looks after the cloud ${cloud} at this engine: stop it first, or give this one another name with the option cloud`)

  let [last] = await signs.list()
  if (last !== undefined && last.owner !== owner) {
    await delay(MISSING * every)
    const [now] = await signs.list()
    if (now !== undefined && now.number !== last.number) throw inUse()
    last = now
  }
  let mine = (last?.number ?? 0) + 1
  if (await signs.make(mine, owner) !== owner) throw inUse()
  for (const { number } of await signs.list()) if (number < mine) await signs.remove(number)

  return {
    renew: async () => {
      const [newest] = await signs.list()
      if (newest !== undefined && newest.number > mine) {
        if (newest.owner !== owner) return false
        // It was made, and the answer was lost.
        await signs.remove(mine)
        mine = newest.number
        return true
      }
      if (await signs.make(mine + 1, owner) !== owner) return false
      await signs.remove(mine)
      mine++
      return true
    },
    release: async () => { await signs.remove(mine) }
  }
}

/** Signs of life as volumes of an engine. */
export function volumeSigns (client: Client, cloud: string): Signs {
  const nameOf = (number: number): string => `${cloud}.lease.${number}`
  return {
    list: async () => {
      const { Volumes: found } = await client.ask(async (docker, abortSignal) => await docker.listVolumes({
        filters: { label: [`${LABEL.cloud}=${cloud}`, `${LABEL.kind}=lease`] }, abortSignal
      } as Docker.VolumeListOptions))
      return sorted((found ?? []).map(({ Name, Labels }) => signOf(Name, Labels)))
    },
    make: async (number, owner) => {
      await client.ask(async (docker, abortSignal) => await docker.createVolume({ Name: nameOf(number), Labels: leaseLabels(cloud, owner), abortSignal }))
      const made = await client.ask(async (docker, abortSignal) => await docker.getVolume(nameOf(number)).inspect({ abortSignal } as {}))
      return made.Labels?.[LABEL.owner] ?? ''
    },
    remove: async number => {
      await client.ask(async (docker, abortSignal) => await docker.getVolume(nameOf(number)).remove({ abortSignal })).catch(() => {})
    }
  }
}

export const leaseLabels = (cloud: string, owner: string): Record<string, string> => ({ [LABEL.cloud]: cloud, [LABEL.kind]: 'lease', [LABEL.owner]: owner })

/** What the name and the labels of one say. */
export const signOf = (name: string, labels: Readonly<Record<string, string>> | undefined): Sign =>
  ({ number: Number(/\.(\d+)$/.exec(name)?.[1] ?? 0), owner: labels?.[LABEL.owner] ?? '' })

export const sorted = (signs: Sign[]): Sign[] => signs.sort((one, other) => other.number - one.number)
