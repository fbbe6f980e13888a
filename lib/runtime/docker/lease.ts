/**
 * One core to a cloud at an engine, wherever the cores are. Whoever makes a volume of a name first has it for good, and everybody else is
 * answered whose it is: so each sign of life is a volume with the next number, and who finds another's behind its own is not the one any more.
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

export interface LeaseParts {
  readonly client: Client
  readonly cloud: string
  /** Tells this directory from others. */
  readonly owner: string
  /** Milliseconds between two signs of life. */
  readonly every: number
}

/** So many signs may be missing. */
const MISSING = 3

/** Takes the cloud, or throws that another core has it. */
export async function takeLease ({ client, cloud, owner, every }: LeaseParts): Promise<Lease> {
  async function list (): Promise<Array<{ readonly number: number, readonly name: string, readonly owner: string }>> {
    const { Volumes: found } = await client.ask(async (docker, abortSignal) => await docker.listVolumes({
      filters: { label: [`${LABEL.cloud}=${cloud}`, `${LABEL.kind}=lease`] }, abortSignal
    } as Docker.VolumeListOptions))
    return (found ?? []).map(({ Name, Labels }) => ({ name: Name, number: Number(/\.(\d+)$/.exec(Name)?.[1] ?? 0), owner: Labels?.[LABEL.owner] ?? '' }))
      .sort((one, other) => other.number - one.number)
  }

  /** Answers whose the volume is. */
  async function make (number: number): Promise<string> {
    const name = `${cloud}.lease.${number}`
    await client.ask(async (docker, abortSignal) => await docker.createVolume({
      Name: name, Labels: { [LABEL.cloud]: cloud, [LABEL.kind]: 'lease', [LABEL.owner]: owner }, abortSignal
    }))
    const made = await client.ask(async (docker, abortSignal) => await docker.getVolume(name).inspect({ abortSignal } as {}))
    return made.Labels?.[LABEL.owner] ?? ''
  }

  const remove = async (name: string): Promise<void> => {
    await client.ask(async (docker, abortSignal) => await docker.getVolume(name).remove({ abortSignal })).catch(() => {})
  }

  const inUse = (): SetupError => new SetupError('CLOUD_ERR_DIRECTORY_IN_USE',
    `Another core looks after the cloud ${cloud} at this engine: stop it first, or give this one another name with the option cloud`)

  let [last] = await list()
  if (last !== undefined && last.owner !== owner) {
    await delay(MISSING * every)
    const [now] = await list()
    if (now !== undefined && now.number !== last.number) throw inUse()
    last = now
  }
  let mine = (last?.number ?? 0) + 1
  if (await make(mine) !== owner) throw inUse()
  for (const { name, number } of await list()) if (number < mine) await remove(name)

  return {
    renew: async () => {
      const [newest] = await list()
      if (newest !== undefined && newest.number > mine) return false
      if (await make(mine + 1) !== owner) return false
      await remove(`${cloud}.lease.${mine}`)
      mine++
      return true
    },
    release: async () => { await remove(`${cloud}.lease.${mine}`) }
  }
}
