/** Runs a contender as a child process on a core of its own, and reads what it costs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Contenders have one core to themselves, the load another. */
const contenderCore = 0
const loadCore = 1

/** Clock ticks of /proc in a second; the same on every Linux. */
const ticks = 100

/** Puts this process, which makes the load, on its core. */
export async function pinLoad () {
  const [code] = await once(spawn('taskset', ['-a', '-cp', String(loadCore), String(process.pid)], { stdio: 'ignore' }), 'exit')
  if (code !== 0) throw new Error('taskset could not pin the load to a core; the figures need two')
}

/** `BENCH_PROFILE=<directory>` writes a CPU profile of each contender there when it ends. */
const profile = process.env.BENCH_PROFILE === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`]

const running = new Set()

/** Starts `contenders/<script>`; resolves when it answers where it listens. */
export async function contend (script, options = {}) {
  const path = fileURLToPath(new URL(`./contenders/${script}`, import.meta.url))
  const child = spawn('taskset', ['-c', String(contenderCore), process.execPath, '--expose-gc', ...profile, path], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc']
  })
  running.add(child)
  const exited = once(child, 'exit').then(() => { running.delete(child) })
  child.send(options)

  const next = () => Promise.race([
    once(child, 'message').then(([message]) => message),
    exited.then(() => { throw new Error(`${script} has ended`) })
  ])
  const ready = await next()

  return {
    ...ready,
    /** Asks the contender; it answers with one message. */
    ask: async question => {
      const answer = next()
      child.send(question)
      return await answer
    },
    /** Seconds of CPU that all its threads have used so far. */
    cpu: () => {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ')
      return (Number(fields[11]) + Number(fields[12])) / ticks
    },
    /** MB that it holds. */
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024,
    stop: async () => {
      child.kill()
      await exited
    }
  }
}

/** Ends what a row that failed has left behind. */
export function stopAll () {
  for (const child of running) child.kill('SIGKILL')
}
