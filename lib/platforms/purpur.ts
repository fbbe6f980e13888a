/** Purpur's catalogue. It tells no length, and of sums an MD5 alone. */
import { PlatformError, versionForm } from './catalogue.js'
import { javaOfMinecraft, noVersion, sums, type Resolve } from './release.js'

export const fromPurpur: Resolve = async (base, { version, unstable }, ask) => {
  const root = `${base}/v2/purpur`
  // The oldest comes first.
  const known = (await ask(root)).get('versions').items().map(item => item.text(versionForm)).reverse()
  if (version !== undefined && !known.includes(version)) throw noVersion('purpur', version, known)
  const wanted = version ?? known[0]
  if (wanted === undefined) throw new PlatformError('There is no version of purpur')
  const at = `${root}/${encodeURIComponent(wanted)}`
  const build = (await ask(at)).get('builds').get('latest').text(/^\d{1,9}$/)
  const about = await ask(`${at}/${build}`)
  const result = about.get('result')
  if (result.isThere && result.text(/^\w{1,20}$/) !== 'SUCCESS' && !unstable) {
    throw new PlatformError(`The newest build of purpur ${wanted} (${build}) has failed; --unstable takes it all the same`)
  }
  return {
    version: wanted,
    build: `build ${build}`,
    java: javaOfMinecraft(wanted),
    files: [{ url: `${at}/${build}/download`, algorithm: 'md5', sum: about.get('md5').text(sums.md5).toLowerCase(), to: 'server.jar' }]
  }
}
