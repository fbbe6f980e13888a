/** A core that is root starts services that are root, unless their platform has them become somebody else. */
import type { Log, PlatformDefinition } from '../fleet/index.js'

/** What a `wrap` that changes the user has in it. */
const BECOMES = /--(?:re)?uid\b|\b(?:runuser|su|sudo|chpst|setuidgid|gosu|su-exec)\b/

/** Those platforms whose services would be root. */
export function platformsOfRoot (definitions: readonly PlatformDefinition[]): string[] {
  return definitions.filter(({ wrap = [] }) => !BECOMES.test(wrap.join(' '))).map(({ name }) => name)
}

/** Tells whoever runs the core as root what that means, and what to do. */
export function warnOfRoot (definitions: readonly PlatformDefinition[], log: Log): void {
  const names = process.getuid?.() === 0 ? platformsOfRoot(definitions) : []
  if (names.length === 0) return
  log({
    level: 'warn',
    message: `The core is root, and so are the services of ${names.join(', ')}: whoever breaks into one has the machine. ` +
      'Run the core as a user of its own, or have these platforms become one, which takes a "wrap" and rights to what that user reads ' +
      '(docs/platforms.md, Another user)',
    platforms: names
  })
}
