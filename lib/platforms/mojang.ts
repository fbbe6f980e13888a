/** Mojang's own catalogue: the server without anything around it. */
import { PlatformError, versionForm, type Ask } from './catalogue.js'
import { addressForm, javaOfMinecraft, noVersion, sums, type Release, type ReleaseFile, type Resolve } from './release.js'

export const fromMojang: Resolve = async (base, { version, unstable }, ask) => {
  const manifest = await ask(`${base}/mc/game/version_manifest_v2.json`)
  const wanted = version ?? manifest.get('latest').get(unstable ? 'snapshot' : 'release').text(versionForm)
  const { file, java } = await mojangServer(manifest, wanted, ask)
  return { version: wanted, java, files: [{ ...file, to: 'server.jar' }] } satisfies Release
}

/** The server of a version, as the manifest and the page of that version tell of it. */
export async function mojangServer (manifest: Awaited<ReturnType<Ask>>, wanted: string, ask: Ask): Promise<{ readonly file: Omit<ReleaseFile, 'to'>, readonly java: number }> {
  const versions = manifest.get('versions').items()
  // Some very old ones have spaces in their names; nobody can have asked for these.
  const found = versions.find(one => one.get('id').text(/^[^\0]{1,100}$/) === wanted)
  if (found === undefined) {
    const releases = versions.filter(one => one.get('type').text(/^\w{1,30}$/) === 'release').map(one => one.get('id').text(/^[^\0]{1,100}$/))
    throw noVersion('Minecraft', wanted, releases)
  }
  const about = await ask(found.get('url').text(addressForm))
  const server = about.get('downloads').get('server')
  if (!server.isThere) throw new PlatformError(`Minecraft ${wanted} has no server that could be downloaded`)
  const java = about.get('javaVersion')
  return {
    file: { url: server.get('url').text(addressForm), algorithm: 'sha1', sum: server.get('sha1').text(sums.sha1).toLowerCase(), size: server.get('size').whole() },
    java: java.isThere ? java.get('majorVersion').whole() : javaOfMinecraft(wanted)
  }
}
