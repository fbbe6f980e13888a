/** The platforms that can be added by name: where each comes from, and what its file holds. */
import { bungeecord, fabric, paperLike, vanilla, velocity, type Behind, type Body } from './definitions.js'
import { fromFabric } from './fabric.js'
import { fromPaperMc } from './papermc.js'
import { fromJenkins } from './jenkins.js'
import { fromMojang } from './mojang.js'
import { fromPurpur } from './purpur.js'
import type { Resolve } from './release.js'

/** Where the catalogues are, without a slash at the end; each can be a mirror of your own. */
export interface Catalogues {
  /** Paper, Velocity, Folia. */
  readonly papermc: string
  /** Vanilla, and the server below Fabric. */
  readonly mojang: string
  readonly purpur: string
  readonly fabric: string
  readonly bungeecord: string
}

export const publicCatalogues: Catalogues = {
  papermc: 'https://fill.papermc.io/v3',
  mojang: 'https://piston-meta.mojang.com',
  purpur: 'https://api.purpurmc.org',
  fabric: 'https://meta.fabricmc.net',
  bungeecord: 'https://ci.md-5.net'
}

export interface ReadyPlatform {
  readonly name: string
  readonly says: string
  readonly catalogue: keyof Catalogues
  /** Whether Mojang's licence has to be accepted for it. */
  readonly licensed: boolean
  /** What it can stand behind; the first unless another is asked for. Empty: it is a proxy itself. */
  readonly behind: readonly Behind[]
  resolve (catalogues: Catalogues): Resolve
  body (behind: Behind): Body
}

const everything: readonly Behind[] = ['velocity', 'bungeecord', 'none']

export const readyPlatforms: readonly ReadyPlatform[] = [
  { name: 'paper', says: 'the server that most networks run', catalogue: 'papermc', licensed: true, behind: everything, resolve: () => fromPaperMc('paper'), body: paperLike },
  { name: 'velocity', says: 'a proxy', catalogue: 'papermc', licensed: false, behind: [], resolve: () => fromPaperMc('velocity'), body: () => velocity },
  { name: 'purpur', says: 'Paper with more to set', catalogue: 'purpur', licensed: true, behind: everything, resolve: () => fromPurpur, body: paperLike },
  { name: 'fabric', says: 'a server for mods', catalogue: 'fabric', licensed: true, behind: ['none', 'velocity'], resolve: ({ mojang }) => fromFabric(mojang), body: fabric },
  { name: 'vanilla', says: 'Mojang\'s own server', catalogue: 'mojang', licensed: true, behind: ['none'], resolve: () => fromMojang, body: () => vanilla },
  { name: 'bungeecord', says: 'a proxy', catalogue: 'bungeecord', licensed: false, behind: [], resolve: () => fromJenkins, body: () => bungeecord },
  { name: 'folia', says: 'Paper on many threads', catalogue: 'papermc', licensed: true, behind: everything, resolve: () => fromPaperMc('folia'), body: paperLike }
]
