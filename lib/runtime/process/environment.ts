/** The environment of a service: variables to find programs and to set the language, and none of the core's own, which may be secrets. */
const INHERITED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'JAVA_HOME']

/** What services see of the core's environment. */
export function inherited (further: readonly string[]): Record<string, string> {
  return Object.fromEntries([...INHERITED, ...further].flatMap(name => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }))
}
