/** Whom the files of a service belong to. */
import { isGone, type Client } from './client.js'
import { readText } from './files.js'

/** The number of the user that an image names; root where nobody knows the name. */
export async function ownerOf (client: Client, id: string, user: string): Promise<number> {
  const [name = ''] = user.split(':')
  if (/^\d{1,7}$/.test(name)) return Number(name)
  const users = await readText(client, id, '/etc/passwd').catch((error: unknown) => {
    if (isGone(error)) return undefined
    throw error
  })
  const line = (users ?? '').split('\n').map(text => text.split(':')).find(([known]) => known === name)
  return Number(line?.[2] ?? 0)
}
