/** Fabric's catalogue: a launcher that belongs to one version of the game, one of the loader and one of the installer. It tells no sums. */
import { PlatformError, versionForm, type Reader } from './catalogue.js'
import { mojangServer } from './mojang.js'
import { noVersion, type Resolve } from './release.js'

/** `mojang` is where the catalogue of the game itself is: the launcher would fetch that server again with every new directory. */
export const fromFabric = (mojang: string): Resolve => async (base, { version, unstable }, ask) => {
  const root = `${base}/v2/versions`
  const games = (await ask(`${root}/game`)).items()
  const names = games.filter(one => unstable || isStable(one)).map(one => one.get('version').text(versionForm))
  const wanted = version ?? names[0]
  if (wanted === undefined || !games.some(one => one.get('version').text(versionForm) === wanted)) throw noVersion('fabric for Minecraft', wanted ?? 'that is stable', names)
  const loaders = (await ask(`${root}/loader/${encodeURIComponent(wanted)}`)).items().map(one => one.get('loader'))
  const [loader, installer] = [chosen(loaders, `fabric loader for ${wanted}`), chosen((await ask(`${root}/installer`)).items(), 'fabric installer')]
  const { file, java } = await mojangServer(await ask(`${mojang}/mc/game/version_manifest_v2.json`), wanted, ask)
  return {
    version: wanted,
    build: `loader ${loader}`,
    java,
    files: [
      { url: `${root}/loader/${encodeURIComponent(wanted)}/${encodeURIComponent(loader)}/${encodeURIComponent(installer)}/server/jar`, to: 'server.jar' },
      { ...file, to: `.fabric/server/${wanted}-server.jar` }
    ]
  }
}

const isStable = (one: Reader): boolean => one.get('stable').flag()

/** The first that is stable, else the first. */
function chosen (all: readonly Reader[], what: string): string {
  const best = all.find(isStable) ?? all[0]
  if (best === undefined) throw new PlatformError(`There is no ${what}`)
  return best.get('version').text(versionForm)
}
