/** What a cloud without a disk keeps: in memory, for as long as it is there. */
import type { PlatformDefinition, Platforms, TextStore, Templates } from '../fleet/index.js'
import type { Platform } from '../../../types/resources.js'

/** Texts that nobody else changes. */
export function createMemoryTextStore (): TextStore {
  const texts = new Map<string, string>()
  return {
    pathOf: name => name,
    readAll: () => new Map(texts),
    readChanged: () => new Map(),
    write: (name, text) => {
      texts.set(name, text)
      return true
    },
    remove: name => { texts.delete(name) },
    checkRemoval: () => {},
    mayHaveChanged: () => false,
    close: () => {}
  }
}

/** Templates that are names and nothing else; one that nobody has made is as empty as the others. */
export function createMemoryTemplates (given: readonly string[]): Templates {
  const names = new Set(given)
  let revision = 1
  return {
    get names () { return [...names] },
    get revision () { return revision },
    has: () => true,
    pathOf: name => name,
    refresh: () => {},
    make: name => {
      names.add(name)
      revision++
    },
    rename: (from, to) => {
      names.delete(from)
      names.add(to)
      revision++
    },
    remove: name => {
      names.delete(name)
      revision++
    },
    note: () => {},
    noted: () => undefined
  }
}

/** Platforms that say nothing but their name: how their services behave is the script's. */
export function createMemoryPlatforms (given: readonly Platform[]): Platforms {
  const all = given.map(({ name, type, versions }): PlatformDefinition => ({
    name,
    type,
    versions: versions.map(({ version }) => version),
    command: name,
    args: [],
    env: {},
    files: {},
    ready: { engine: true },
    startTimeout: Infinity,
    stop: { signal: 'SIGTERM' },
    stopTimeout: 5000
  }))
  return {
    all,
    get: name => all.find(one => one.name === name),
    directoryOf: name => name,
    refresh: () => {}
  }
}
