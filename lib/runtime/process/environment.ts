/** Enough to find programs and to speak the right language; the core's secrets live in the same place and stay there. */
const INHERITED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'JAVA_HOME']

/** What services see of the core's environment. */
export function inherited (further: readonly string[]): Record<string, string> {
  return Object.fromEntries([...INHERITED, ...further].flatMap(name => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }))
}
