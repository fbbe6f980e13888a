/** The smallest engine: services are children of this process, and end with it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fillPlan } from 'fastify-cloud/runtime/fleet'

/** Milliseconds between a signal and the next, stronger one. */
const patience = 2_000

/** Services have their files below `directory`. */
export function childEngine ({ directory, host = '127.0.0.1' }) {
  const [lives, starts, closing] = [new Set(), new Set(), new AbortController()]

  async function start (plan, signal) {
    const files = join(directory, plan.name)
    if (!plan.keep) await rm(files, { recursive: true, force: true })
    await mkdir(files, { recursive: true })
    for (const layer of plan.layers) await cp(layer.directory, files, { recursive: true })
    for (const { file, to } of plan.downloads ?? []) await cp(file, join(files, to))
    const place = { host, port: String(plan.port), directory: files, platformDirectory: plan.platform.directory }
    const { command, args, env, files: texts } = fillPlan(plan, place)
    for (const [path, text] of Object.entries(texts)) {
      await mkdir(dirname(join(files, path)), { recursive: true })
      await writeFile(join(files, path), text)
    }
    signal.throwIfAborted()
    // In a process group of its own, so that what it starts can be ended with it.
    const child = spawn(command, args, { cwd: files, env: { PATH: process.env.PATH, ...env }, detached: true })
    try {
      await once(child, 'spawn')
    } catch (error) {
      throw Object.assign(error, { fault: 'definition' })
    }
    const life = createLife(plan, host, child)
    lives.add(life)
    child.once('close', () => { lives.delete(life) })
    return life
  }

  return {
    host,
    // Nothing of an earlier core runs any more.
    find: () => [],
    start (plan, { signal }) {
      const life = start(plan, AbortSignal.any([signal, closing.signal]))
      const over = life.catch(() => {}).then(() => { starts.delete(over) })
      starts.add(over)
      return life
    },
    async discard (name, { keep }) {
      const files = join(directory, name)
      if (!keep || !existsSync(files)) return await rm(files, { recursive: true, force: true })
      const aside = `${files}.kept-${Date.now()}`
      await rename(files, aside)
      return aside
    },
    async close () {
      closing.abort()
      await Promise.all(starts)
      await Promise.all([...lives].map(life => life.stop({ timeout: 0 })))
    }
  }
}

function createLife ({ name, token, note, port }, host, child) {
  const output = createOutput()
  let tell = () => {}
  for (const stream of [child.stdout, child.stderr]) stream.on('data', output.add)
  child.stdin.on('error', () => {})
  const life = {
    name,
    token,
    note,
    host,
    port,
    startedAt: Date.now(),
    end: undefined,
    watch (listener) { tell = listener },
    follow: output.follow,
    write (line) {
      const reads = life.end === undefined && child.stdin.writable
      if (reads) child.stdin.write(`${line}\n`)
      return reads
    },
    async stop ({ ask: word, timeout, force }) {
      const ask = force === true ? undefined : word
      if (ask !== undefined && 'stdin' in ask) life.write(ask.stdin)
      if (ask !== undefined && 'signal' in ask) child.kill(ask.signal)
      if (ask !== undefined && await ended(timeout)) return 'asked'
      if (force !== true) {
        kill('SIGTERM')
        if (await ended(patience)) return 'terminated'
      }
      kill('SIGKILL')
      if (await ended(patience)) return 'killed'
      throw new Error(`process ${child.pid} does not end`)
    },
    release () {
      tell = () => {}
      output.end()
    }
  }
  // Not with its exit: only then everything that it printed has been handed over.
  child.once('close', (code, signal) => {
    life.end = { code, signal }
    kill('SIGKILL')
    tell({ kind: 'ended' })
  })

  function kill (signal) {
    try {
      process.kill(-child.pid, signal)
    } catch {
      // Nothing of it is left.
    }
  }

  async function ended (ms) {
    if (life.end === undefined) await once(child, 'close', { signal: AbortSignal.timeout(ms) }).catch(() => {})
    return life.end !== undefined
  }
  return life
}

/** What one life printed, as far as it is kept. */
function createOutput (most = 1024 * 1024) {
  const followers = new Set()
  let kept = Buffer.alloc(0)
  let gone = 0
  return {
    add (bytes) {
      const all = Buffer.concat([kept, bytes])
      kept = all.subarray(Math.max(0, all.length - most))
      gone += all.length - kept.length
      for (const listener of followers) listener({ bytes, gap: 0 })
    },
    end: () => { followers.clear() },
    follow (listener, { from, signal }) {
      if (signal.aborted) return
      const start = from === 'start' ? 0 : Math.max(0, kept.length - from.last)
      const isWhole = gone + start === 0 || kept[start - 1] === 10
      if (start < kept.length) listener({ bytes: kept.subarray(start), gap: isWhole ? 0 : gone + start })
      followers.add(listener)
      signal.addEventListener('abort', () => { followers.delete(listener) }, { once: true })
    }
  }
}
