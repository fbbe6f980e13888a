/** PaperMC's catalogue, Fill v3: Paper, Velocity and Folia. */
import { PlatformError, versionForm, type Ask, type Reader } from './catalogue.js'
import { addressForm, javaOfMinecraft, noVersion, sums, type Release, type Resolve } from './release.js'

const stable = new Set(['STABLE', 'RECOMMENDED'])
/** So many versions are looked through for a stable build. */
const looks = 12

export const fromPaperMc = (project: string): Resolve => async (base, { version, unstable }, ask) => {
  const root = `${base}/projects/${project}`
  const known = (await ask(root)).get('versions').entries().flatMap(([, family]) => family.items().map(item => item.text(versionForm)))
  if (version !== undefined && !known.includes(version)) throw noVersion(project, version, known)
  const candidates = version === undefined ? known.slice(0, looks) : [version]
  let newest: string | undefined
  for (const candidate of candidates) {
    const at = `${root}/versions/${encodeURIComponent(candidate)}`
    const builds = (await ask(`${at}/builds`)).items()
    const build = newestOf(builds.filter(one => unstable || stable.has(one.get('channel').text(/^[A-Z]{1,20}$/))))
    if (build !== undefined) return await releaseOf(project, candidate, build, await ask(at))
    const other = newestOf(builds)
    if (other !== undefined) newest ??= `${candidate} (build ${other.get('id').whole()}, ${other.get('channel').text(/^[A-Z]{1,20}$/)})`
  }
  if (newest === undefined) throw new PlatformError(`There is no build of ${project}${version === undefined ? '' : ` ${version}`}`)
  throw new PlatformError(`There is no stable build of ${project}${version === undefined ? '' : ` ${version}`}: the newest is ${newest}, and --unstable takes it`)
}

const newestOf = (builds: readonly Reader[]): Reader | undefined =>
  builds.reduce<Reader | undefined>((best, one) => best === undefined || one.get('id').whole() > best.get('id').whole() ? one : best, undefined)

async function releaseOf (project: string, version: string, build: Reader, about: Awaited<ReturnType<Ask>>): Promise<Release> {
  const file = build.get('downloads').get('server:default')
  const java = about.isThere ? about.get('version').get('java') : undefined
  return {
    version,
    build: `build ${build.get('id').whole()}`,
    java: java?.isThere === true ? java.get('version').get('minimum').whole() : project === 'velocity' ? 21 : javaOfMinecraft(version),
    files: [{
      url: file.get('url').text(addressForm),
      algorithm: 'sha256',
      sum: file.get('checksums').get('sha256').text(sums.sha256).toLowerCase(),
      size: file.get('size').whole(),
      to: 'server.jar'
    }]
  }
}
