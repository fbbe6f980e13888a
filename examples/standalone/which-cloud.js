/** Which server a client on this machine talks to: that of the directory, as `admin` does, or the one that it was told. */
import { originOf } from './address.js'
import { checkDirectory } from './directory.js'
import { ringDoorbell } from './doorbell.js'
import { isInUse, isServed, notNow, patienceMs, patiently } from './turn.js'

/**
 * The address of the interface, and `whose` it is, for people. `tell` gets a sentence when a server that starts or ends is
 * waited for. `isNamed`: somebody has said which directory is meant, and no other cloud is in its place.
 */
export async function whichCloud (settings, { isNamed, tell, ms = patienceMs }) {
  const { url, host, port, prefix, directory } = settings
  if (url !== undefined) {
    const { origin, pathname } = new URL(url)
    return { url: pathname === '/' ? `${origin}${prefix}` : url, whose: 'as CLOUD_URL says' }
  }
  const running = await addressIn(directory, { isNamed, tell, ms })
  if (running !== undefined) return { url: running, whose: `the server of ${directory}` }
  return { url: `${originOf(host, port)}${prefix}`, whose: 'as HOST, PORT and CLOUD_PREFIX say' }
}

/** Undefined where nobody has said that it has to be this one, or its server cannot be asked by this user. */
async function addressIn (directory, { isNamed, tell, ms }) {
  try {
    await checkDirectory({ directory })
    return await patiently(async () => {
      const heard = await ringDoorbell(directory, 'address', {}, tell, ms)
      if (heard === undefined) throw await isServed(directory) ? notNow() : new Error(`no server is running on ${directory}`)
      // Between its first and its last moment it listens nowhere.
      if (heard.answer === null) throw notNow()
      // A server of an earlier version has no answer to that.
      return heard.answer
    }, tell, ms)
  } catch (error) {
    if (error.code === 'EACCES') return undefined
    if (isInUse(error)) throw new Error(`the server of ${directory} has been starting or ending for ${ms / 1000} s`, { cause: error })
    if (isNamed) throw error
    return undefined
  }
}
