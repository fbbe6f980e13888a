/** The network of the services. */
import { isConflict, type Client, type Docker } from './client.js'
import { LABEL } from './marks.js'

/** Makes the network where it is not there: one, however many cores that share it begin at once. */
export async function provideNetwork (client: Client, cloud: string, name: string): Promise<void> {
  const named = async (): Promise<Docker.NetworkInspectInfo[]> => {
    const known = await client.ask(async (docker, abortSignal) => await docker.listNetworks({ filters: { name: [name] }, abortSignal }))
    return known.filter(({ Name }) => Name === name).sort((one, other) => one.Created < other.Created || (one.Created === other.Created && one.Id < other.Id) ? -1 : 1)
  }
  if ((await named()).length > 0) return
  await client.ask(async (docker, abortSignal) => await docker.createNetwork({ Name: name, Driver: 'bridge', CheckDuplicate: true, Labels: { [LABEL.cloud]: cloud }, abortSignal } as Docker.NetworkCreateOptions)).catch((error: unknown) => {
    if (!isConflict(error)) throw error
  })
  // An engine that is asked twice at once makes two of a name, and then starts nothing in either: whoever sees both keeps the first.
  for (const { Id, Labels } of (await named()).slice(1)) {
    // One that is no fleet's is somebody's, and one that is in use stays: the engine says so at every start.
    if (Labels?.[LABEL.cloud] !== undefined) await client.ask(async (docker, abortSignal) => await docker.getNetwork(Id).remove({ abortSignal } as {})).catch(() => {})
  }
}
