/** A core that is root starts services that are root, unless their platform has them become somebody else. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Log, PlatformDefinition } from '../fleet/index.js'

/** What a `wrap` that changes the user has in it. */
const BECOMES = /--(?:re)?uid\b|\b(?:runuser|su|sudo|chpst|setuidgid|gosu|su-exec)\b/

/** Those platforms whose services would be root. */
export function platformsOfRoot (definitions: readonly PlatformDefinition[]): string[] {
  return definitions.filter(({ wrap = [] }) => !BECOMES.test(wrap.join(' '))).map(({ name }) => name)
}

/** Those whose services become somebody else, who cannot come to their files: others may not pass through these directories. */
function barredIn (directory: string, definitions: readonly PlatformDefinition[]): { readonly directories: string[], readonly names: string[] } {
  const others = definitions.map(({ name }) => name).filter(name => !platformsOfRoot(definitions).includes(name))
  const directories = [directory, join(directory, 'services')].filter(path => (statSync(path).mode & 0o011) === 0)
  return { directories, names: directories.length === 0 ? [] : others }
}

/** Tells whoever runs the core as root what that means, and what to do. */
export function warnOfRoot (directory: string, definitions: readonly PlatformDefinition[], log: Log): void {
  if (process.getuid?.() !== 0) return
  const barred = barredIn(directory, definitions)
  if (barred.names.length > 0) {
    const paths = barred.directories.join(' ')
    log({
      level: 'warn',
      message: `The services of ${barred.names.join(', ')} become another user, who may not pass through ${paths}, and cannot start: chmod 711 ${paths}`,
      platforms: barred.names
    })
  }
  const names = platformsOfRoot(definitions)
  if (names.length === 0) return
  log({
    level: 'warn',
    message: `The core is root, and so are the services of ${names.join(', ')}: whoever breaks into one has the machine. ` +
      'Run the core as a user of its own, or have these platforms become one, which takes a "wrap" and rights to what that user reads ' +
      '(docs/platforms.md, Another user)',
    platforms: names
  })
}
