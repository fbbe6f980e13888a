/** Runtimes that are broken in what is left: of downloads, of deletions, of restarts and of each end of a life. */
import { setTimeout as delay } from 'node:timers/promises'
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import type { SimulatedRuntime } from '../../lib/runtime/simulated/index.js'
import type { Exit } from '../../types/resources.js'
import type { CloudRuntime, GroupProperties, PlatformDownloads, RuntimeService, StateChange } from '../../types/runtime.js'
import { rightFiles } from './broken-files.js'
import { broken, services, simulated, stateOf } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'

const catalogue = [{ name: 'game', versions: ['1.0', '2.0'] }, { name: 'Gate', versions: ['3.0'] }] as const

/** Files of two platforms, that are fetched at once. */
const fetches: PlatformDownloads['fetch'] = (name, version) => {
  const chosen = catalogue.filter(one => name === undefined || one.name === name)
  if (chosen.length === 0 || (version !== undefined && !chosen.some(({ versions }) => (versions as readonly string[]).includes(version)))) return false
  return chosen.flatMap(one => one.versions.filter(its => version === undefined || its === version).map(its => `${one.name} ${its}: 12 %`))
}

/** A runtime with files of templates that fetches what its platforms need. */
export function withDownloads (fetch = fetches): RuntimeUnderTest {
  const subject = rightFiles()
  const { runtime } = subject
  const platforms = {
    list: async (options: { readonly signal: AbortSignal }) => [
      ...(await runtime.platforms.list(options)).filter(({ name }) => name === subject.group?.platform.name),
      ...catalogue.map(({ name, versions }) => ({ name, type: 'SERVER' as const, versions: versions.map(version => ({ version })) }))
    ],
    downloads: { fetch: (name: string | undefined, version: string | undefined, options: { readonly signal: AbortSignal }) => name === subject.group?.platform.name && (version === undefined || version === subject.group?.platform.version) ? [] : fetch(name, version, options) }
  }
  return { ...subject, runtime: { ...runtime, platforms } as CloudRuntime }
}

const fetching = (flaw: string, change: PlatformDownloads['fetch']): Broken<RuntimeUnderTest> => ({ flaw, make: () => withDownloads(change) })

const downloads: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  fetching('an unknown platform has nothing to fetch', (...given) => { const answer = fetches(...given); return answer === false && given[1] === undefined ? [] : answer }),
  fetching('an unknown version has nothing to fetch', (...given) => { const answer = fetches(...given); return answer === false && given[1] !== undefined ? [] : answer }),
  fetching('the case of a platform is ignored', (name, ...rest) => fetches(catalogue.find(one => one.name.toLowerCase() === name?.toLowerCase())?.name ?? name, ...rest)),
  fetching('all versions are fetched for each', (name, version, options) => fetches(name, version, options) && fetches(name, undefined, options)),
  fetching('no platform is none', (name, ...rest) => name === undefined ? false : fetches(name, ...rest)),
  fetching('a line has its end', (...given) => { const answer = fetches(...given); return answer instanceof Array ? answer.map(line => `${line}\n`) : answer }),
  fetching('files are objects', (...given) => { const answer = fetches(...given); return answer instanceof Array ? answer.map(file => ({ file })) as unknown as string[] : answer }),
  fetching('it waits for the files', async (...given) => { await delay(3_000); return await fetches(...given) })
]

type Items = readonly RuntimeService[]

const exiting = (flaw: string, change: (exit: Exit, service: RuntimeService) => object | undefined): Broken<RuntimeUnderTest> => broken(flaw, () => ({
  services: (items: Items) => items.map(({ lastExit, ...item }) => ({ ...item, ...lastExit !== undefined && { lastExit: change(lastExit, item as RuntimeService) } }) as RuntimeService)
}))

const lives: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  ...(['stopped', 'killed'] as const).map(reason => exiting(`a life that is ${reason} leaves no lines`, exit => exit.reason === reason ? { ...exit, lastLines: [] } : exit)),
  exiting('no signal is an empty one', exit => ({ ...exit, signal: exit.signal ?? '' })),
  exiting('a code is a text', exit => ({ ...exit, code: String(exit.code) })),
  broken('a service that is OFFLINE uses memory', () => ({ services: (items: Items) => items.map(item => item.state === 'OFFLINE' ? { ...item, memoryUsage: 100 } : item) })),
  broken('a service that is OFFLINE has players', () => ({ services: (items: Items) => items.map(item => item.state === 'OFFLINE' ? { ...item, playerCount: 1 } : item) })),
  broken('a life begins once more when it is ONLINE', () => ({ services: (items: Items) => items.map(item => item.state === 'STARTING' && item.startedAt !== undefined ? { ...item, startedAt: item.startedAt - 7 } : item) })),
  broken('a change has the time of the first start', runtime => ({
    states: {
      watch: (listener: (change: StateChange) => void, options) =>
        runtime.states.watch(change => listener({ ...change, at: services(runtime).find(({ name }) => name === change.serviceName)?.createdAt ?? change.at }), options)
    }
  })),
  broken('a console that is followed ends with a death', runtime => ({
    consoles: {
      follow (name, listener, options) {
        let isOver = false
        runtime.states.watch(({ serviceName, state }) => { if (serviceName === name && state === 'OFFLINE') isOver = true }, { signal: options.signal })
        return runtime.consoles.follow(name, lines => { if (!isOver) listener(lines) }, options)
      }
    }
  })),
  broken('who follows a service that is OFFLINE hears nothing new', runtime => ({
    consoles: {
      follow (name, listener, options) {
        let isPast = true
        const isOff = stateOf(runtime, name) === 'OFFLINE'
        const answer = runtime.consoles.follow(name, lines => { if (!isOff || isPast) listener(lines) }, options)
        isPast = false
        return answer
      }
    }
  }))
]

const rolls: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  broken('what is begun is done', runtime => ({
    restarts: {
      progressOf (name, options) {
        const now = runtime.groups.restarts.progressOf(name, options) as { readonly done: number, readonly total: number } | undefined
        return now === undefined ? undefined : { ...now, done: Math.min(now.total, now.done + 1) }
      }
    }
  })),
  broken('a deletion leaves a process of what is STARTING', runtime => {
    const left = new Set<string>()
    return {
      remains: group => left.has(group) ? 1 : 0,
      groupControl: {
        delete (name, options) {
          if (services(runtime).some(({ groupName, state }) => groupName === name && state === 'STARTING')) left.add(name)
          return runtime.groups.control.delete(name, options)
        }
      }
    }
  })
]

const checking = (flaw: string, check: GroupProperties['check']): Broken<RuntimeUnderTest> => ({
  flaw,
  make () {
    const subject = simulated()
    const runtime = subject.runtime as SimulatedRuntime
    const { list, control, restarts, reasons } = runtime.groups
    return { ...subject, runtime: { ...runtime, groups: { list, control, restarts, reasons, properties: { check } } } }
  }
})

const checks: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  checking('nothing wrong is null', properties => (Object.keys(properties).length === 0 ? null : undefined) as undefined),
  checking('what is wrong with `fallback` is a text', ({ fallback }) => (typeof fallback === 'boolean' || fallback === undefined ? undefined : 'must be a boolean') as undefined)
]

export const brokenLives: ReadonlyArray<Broken<RuntimeUnderTest>> = [...downloads, ...lives, ...rolls, ...checks]
