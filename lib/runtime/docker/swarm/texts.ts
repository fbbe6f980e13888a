/**
 * The texts that a platform writes into the directory of a service. Nobody reaches a container of a swarm before its program begins, so they come
 * as configs and secrets of the swarm, and a few lines of shell put them into their places before they become the program.
 */
import { readFile, stat } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type { Files, Plan } from '../../../../types/engine.js'
import { codeOf, DefinitionError, type FilledPlan } from '../../fleet/index.js'
import { reasonOf, statusOf, type Client } from '../client.js'
import { LABEL } from '../marks.js'
import { insideOf } from '../files.js'

export interface Laid {
  /** What stands before the command. */
  readonly launcher: readonly string[]
  readonly configs: ReadonlyArray<{ readonly ConfigID: string }>
  readonly secrets: ReadonlyArray<{ readonly SecretID: string }>
}

export interface Texts {
  /** Puts the texts where the swarm takes them from. */
  lay (plan: Plan, texts: ReadonlyMap<string, string>, secret: readonly string[]): Promise<Laid>
  /** Takes away what was laid for a service and is not among these any more. */
  clean (service: string, but?: Laid): Promise<void>
}

/** Where downloads lie in the image that are laid at every start. */
export const DOWNLOADS = '/fastify-cloud/downloads'
const PLACE = '/fastify-cloud/texts'

const SCRIPT = `set -e
umask 022
if [ -d ${DOWNLOADS} ]; then cp -R ${DOWNLOADS}/. .; fi
while [ "$1" != -- ]; do
  case $3 in */*) mkdir -p "\${3%/*}" ;; esac
  rm -f "$3"
  (umask "$1"; cat "$2" > "$3")
  shift 3
done
shift
exec "$@"`

export function createTexts (client: Client, cloud: string): Texts {
  async function make (kind: 'config' | 'secret', name: string, service: string, path: string, text: string): Promise<string> {
    const body = { Name: name, Labels: { [LABEL.cloud]: cloud, [LABEL.service]: service }, Data: Buffer.from(text).toString('base64') }
    return await client.ask(async (docker, abortSignal) => {
      const made = kind === 'config' ? await docker.createConfig({ ...body, abortSignal }) : await docker.createSecret({ ...body, abortSignal })
      return (made as { readonly id: string }).id
    }).catch((error: unknown) => {
      if (statusOf(error) === 400 || /larger than/.test(reasonOf(error))) throw new DefinitionError(`the file ${path} cannot be given to the swarm: ${reasonOf(error)}`)
      throw error
    })
  }

  return {
    lay: async ({ name: service, token, keep, downloads = [] }, texts, secret) => {
      const words: string[] = []
      const [configs, secrets]: [Array<{ ConfigID: string }>, Array<{ SecretID: string }>] = [[], []]
      let number = 0
      for (const [path, text] of texts) {
        const isSecret = secret.includes(path)
        const [name, place] = [`${cloud}.${token.slice(0, 16)}.${number}`, text === '' ? '/dev/null' : `${PLACE}/${number}`]
        number++
        words.push(isSecret ? '077' : '022', place, insideOf(path))
        if (text === '') continue
        const file = { Name: place, UID: '0', GID: '0', Mode: 0o444 }
        if (isSecret) secrets.push({ SecretID: await make('secret', name, service, path, text), SecretName: name, File: file } as { SecretID: string })
        else configs.push({ ConfigID: await make('config', name, service, path, text), ConfigName: name, File: file } as { ConfigID: string })
      }
      const needed = words.length > 0 || (keep && downloads.length > 0)
      return { launcher: needed ? ['sh', '-c', SCRIPT, 'sh', ...words, '--'] : [], configs, secrets }
    },
    clean: async (service, but) => {
      const filters = { label: [`${LABEL.cloud}=${cloud}`, `${LABEL.service}=${service}`] }
      const kept = new Set([...(but?.configs ?? []).map(({ ConfigID }) => ConfigID), ...(but?.secrets ?? []).map(({ SecretID }) => SecretID)])
      const list = async (kind: 'listConfigs' | 'listSecrets'): Promise<string[]> =>
        (await client.ask(async (docker, abortSignal) => await docker[kind]({ filters: JSON.stringify(filters), abortSignal } as {}) as ReadonlyArray<{ readonly ID: string }>)).map(({ ID }) => ID)
      // What something is still made of stays, and is taken away the next time.
      for (const id of await list('listConfigs')) if (!kept.has(id)) await client.ask(async (docker, abortSignal) => { await docker.getConfig(id).remove({ abortSignal } as {}) }).catch(() => {})
      for (const id of await list('listSecrets')) if (!kept.has(id)) await client.ask(async (docker, abortSignal) => { await docker.getSecret(id).remove({ abortSignal } as {}) }).catch(() => {})
    }
  }
}

/** What a service will find in its directory, before there is one: reads what its layers have, and takes note of what is written. */
export function plannedFiles (plan: Plan, { files }: FilledPlan): { readonly files: Files, readonly texts: Map<string, string> } {
  const texts = new Map(Object.entries(files).map(([path, text]) => [insideOf(path), text]))
  return {
    texts,
    files: {
      read: async path => {
        const inside = insideOf(path)
        const known = texts.get(inside)
        if (known !== undefined) return known
        const copies = (plan.downloads ?? []).filter(({ to }) => posix.normalize(to) === inside).map(({ file }) => file)
        const textAt = async (place: string): Promise<string | undefined> => await readFile(place, 'utf8').catch((error: unknown) => {
          if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(codeOf(error) ?? '')) return undefined
          throw error
        })
        for (const place of copies.reverse()) {
          const text = await textAt(place)
          if (text !== undefined) return text
        }
        for (const { directory } of [...plan.layers].reverse()) {
          const text = await textAt(join(directory, inside))
          if (text !== undefined) return text
          // A template that has got another name meanwhile is not one without that file.
          await stat(directory)
        }
        return undefined
      },
      write: (path, text) => { texts.set(insideOf(path), text) }
    }
  }
}
