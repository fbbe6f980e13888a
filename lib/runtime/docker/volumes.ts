/**
 * What services keep from life to life: a volume each. Engines cannot rename one, so each has a number, and one that is put aside gets a
 * second one beside it that says so.
 */
import type { Client, Docker } from './client.js'
import { LABEL } from './marks.js'

export interface Volumes {
  /** The one that a service has now. */
  current (service: string): Promise<string | undefined>
  /** The one that a service has now, made where it has none; it is empty then. */
  provide (service: string): Promise<string>
  /** The name of the one that a service has next. */
  next (service: string): Promise<string>
  /** Moves the one that a service has out of the way of a later service of that name, and answers its name. */
  putAside (service: string): Promise<string | undefined>
  /** Takes the one away that a service has. */
  remove (service: string): Promise<void>
}

const KEPT = '.kept'

export function createVolumes (client: Client, cloud: string): Volumes {
  async function list (service: string): Promise<string[]> {
    const { Volumes: found } = await client.ask(async (docker, abortSignal) => await docker.listVolumes({
      filters: { label: [`${LABEL.cloud}=${cloud}`, `${LABEL.service}=${service}`] }, abortSignal
    } as Docker.VolumeListOptions))
    return (found ?? []).map(({ Name }) => Name)
  }

  const make = async (name: string, service: string, kind: 'files' | 'kept'): Promise<void> => {
    await client.ask(async (docker, abortSignal) => await docker.createVolume({
      Name: name, Labels: volumeLabels(cloud, service, kind), abortSignal
    }))
  }

  async function current (service: string): Promise<string | undefined> {
    const names = await list(service)
    return names.filter(name => !name.endsWith(KEPT) && !names.includes(`${name}${KEPT}`)).sort((one, other) => numberOf(other) - numberOf(one))[0]
  }

  const next = async (service: string): Promise<string> => `${cloud}.${service}.${1 + Math.max(0, ...(await list(service)).map(numberOf))}`

  return {
    current,
    next,
    provide: async service => {
      const known = await current(service)
      if (known !== undefined) return known
      const name = await next(service)
      await make(name, service, 'files')
      return name
    },
    putAside: async service => {
      const name = await current(service)
      if (name !== undefined) await make(`${name}${KEPT}`, service, 'kept')
      return name
    },
    remove: async service => {
      const name = await current(service)
      if (name !== undefined) await client.ask(async (docker, abortSignal) => await docker.getVolume(name).remove({ abortSignal }))
    }
  }
}

export const volumeLabels = (cloud: string, service: string, kind: 'files' | 'kept'): Record<string, string> =>
  ({ [LABEL.cloud]: cloud, [LABEL.service]: service, [LABEL.kind]: kind })

export const numberOf = (name: string): number => Number(/\.(\d+)(?:\.kept)?$/.exec(name)?.[1] ?? 0)
