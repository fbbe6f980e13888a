/**
 * `fastify-cloud/conformance`: the contracts of `CloudRuntime`, `CloudStorage` and `Engine` in code, for whoever writes one.
 *
 * ```js
 * import { test } from 'node:test'
 * import { runtimeConformance } from 'fastify-cloud/conformance'
 *
 * await runtimeConformance({ test, create: async () => ({ runtime: myRuntime(), close () {} }) })
 * ```
 */
export { storageConformance } from './storage.js'
export type { StorageConformance, StorageUnderTest } from './storage.js'
export { engineConformance } from './engine.js'
export type { EngineConformance } from './engine.js'
export type { EngineUnderTest } from './engine/under-test.js'
export { runtimeConformance } from './runtime.js'
export type { RuntimeConformance } from './runtime.js'
export type { RuntimeUnderTest } from './runtime/under-test.js'
export type { TestFunction } from './suite.js'
