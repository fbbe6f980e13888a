/** BungeeCord's builds, on the Jenkins of its author. It tells no sums and no lengths; a version is the number of a build. */
import { PlatformError } from './catalogue.js'
import type { Resolve } from './release.js'

const file = 'BungeeCord.jar'

export const fromJenkins: Resolve = async (base, { version, unstable }, ask) => {
  const job = `${base}/job/BungeeCord`
  if (version !== undefined && !/^\d{1,9}$/.test(version)) throw new PlatformError(`There is no bungeecord ${version}: its versions are numbers of builds, 1995 for instance`)
  const about = await ask(`${job}/${version ?? (unstable ? 'lastCompletedBuild' : 'lastSuccessfulBuild')}/api/json?tree=number,result,artifacts[fileName,relativePath]`)
  if (!about.isThere) throw new PlatformError(`There is no build ${version ?? 'that succeeded'} of bungeecord (Jenkins keeps the newest ones only)`)
  const number = about.get('number').whole()
  const artifact = about.get('artifacts').items().find(one => one.get('fileName').text(/^[^/\0]{1,200}$/) === file)
  if (artifact === undefined) throw new PlatformError(`Build ${number} of bungeecord has no ${file}`)
  const path = artifact.get('relativePath').text(/^(?!.*\.\.)[\w./-]{1,200}$/)
  return { version: String(number), java: 17, files: [{ url: `${job}/${number}/artifact/${path}`, to: 'server.jar' }] }
}
