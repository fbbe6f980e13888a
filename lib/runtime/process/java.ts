/** Whether the Java of this machine can run a program: one that is too old ends with a page of its own that few understand. */
import { execFile } from 'node:child_process'
import { access, constants, realpath } from 'node:fs/promises'
import { delimiter, resolve, sep } from 'node:path'
import { codeOf, DefinitionError } from '../fleet/index.js'

/** What a Java may take to tell its version. */
const patience = 10_000
const longest = 64 * 1024

/** Those that were new enough, by command and path: they are not asked again. */
const known = new Map<string, number>()

/**
 * Throws a `DefinitionError` where `command` is an older Java, or none is there. One that does not tell is taken as it is, and so is one in
 * `directory`, which is the service's own: nobody but the service, who may be another user, runs what it has put there.
 */
export async function checkJava (command: string, oldest: number, environment: NodeJS.ProcessEnv, signal: AbortSignal, directory?: string): Promise<void> {
  const key = `${command}\0${environment['PATH'] ?? ''}`
  if ((known.get(key) ?? 0) >= oldest) return
  const program = await findProgram(command, environment['PATH'] ?? '', directory)
  if (program === 'own') return
  const found = program === undefined ? 'missing' : await versionOf(program, environment, signal)
  if (found === 'missing') throw new DefinitionError(`it needs Java ${oldest}, and there is no ${command} here: install it, or put its path in "command" of the platform`)
  if (found === undefined) return
  if (found < oldest) throw new DefinitionError(`it needs Java ${oldest}, and ${command} is Java ${found}: install a newer one, or put its path in "command" of the platform`)
  known.set(key, found)
}

/** What the system would run, without links, so that nobody exchanges one of them before it is run; or that it is in a service's own directory. */
async function findProgram (command: string, path: string, own = ''): Promise<string | 'own' | undefined> {
  const roots = own === '' ? [] : [own, await realpath(own).catch(() => own)]
  const isOwn = (place: string): boolean => roots.some(root => place.startsWith(root + sep))
  // It may be there only once the service's files are.
  if (command.includes('/') && isOwn(resolve(own, command))) return 'own'
  const places = command.includes('/') ? [resolve(own, command)] : path.split(delimiter).map(directory => resolve(own, directory, command))
  for (const place of places) {
    try {
      await access(place, constants.X_OK)
      const program = await realpath(place)
      return isOwn(place) || isOwn(program) ? 'own' : program
    } catch {
      // Not there, or not to be run.
    }
  }
  return undefined
}

async function versionOf (command: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<number | 'missing' | undefined> {
  return await new Promise(resolve => {
    execFile(command, ['-version'], { env, signal, timeout: patience, maxBuffer: longest }, (error, stdout, stderr) => {
      if (codeOf(error) === 'ENOENT') resolve('missing')
      else resolve(majorIn(`${stderr}\n${stdout}`))
    })
  })
}

/** `version "21.0.2"`, and up to Java 8 `version "1.8.0_392"`. */
function majorIn (text: string): number | undefined {
  const [, first, second] = /\bversion "(\d{1,3})(?:\.(\d{1,3}))?/.exec(text) ?? []
  if (first === undefined) return undefined
  return first === '1' ? Number(second) : Number(first)
}
