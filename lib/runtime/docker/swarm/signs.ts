/** Signs of life as configs of a swarm: all managers have them, and of one name there is one. */
import { isConflict, type Client } from '../client.js'
import { leaseLabels, signOf, sorted, type Signs } from '../lease.js'
import { LABEL, type Labels } from '../marks.js'

interface Config {
  readonly ID: string
  readonly Spec: { readonly Name: string, readonly Labels?: Labels }
}

export function configSigns (client: Client, cloud: string): Signs {
  const nameOf = (number: number): string => `${cloud}.lease.${number}`
  const list = async (): Promise<readonly Config[]> => await client.ask(async (docker, abortSignal) => await docker.listConfigs({
    filters: JSON.stringify({ label: [`${LABEL.cloud}=${cloud}`, `${LABEL.kind}=lease`] }), abortSignal
  } as {}) as unknown as readonly Config[])
  return {
    list: async () => sorted((await list()).map(({ Spec }) => signOf(Spec.Name, Spec.Labels))),
    make: async (number, owner) => {
      await client.ask(async (docker, abortSignal) => {
        await docker.createConfig({ Name: nameOf(number), Labels: leaseLabels(cloud, owner), Data: Buffer.from(owner).toString('base64'), abortSignal })
      }).catch((error: unknown) => {
        if (!isConflict(error)) throw error
      })
      const made = (await list()).find(({ Spec }) => Spec.Name === nameOf(number))
      return made?.Spec.Labels?.[LABEL.owner] ?? ''
    },
    remove: async number => {
      await client.ask(async (docker, abortSignal) => { await docker.getConfig(nameOf(number)).remove({ abortSignal } as {}) }).catch(() => {})
    }
  }
}
