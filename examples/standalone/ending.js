/**
 * How the process ends: once, in order, each step within its time, and with a status that tells why. Only SIGINT and
 * SIGTERM do with the services what CLOUD_ON_EXIT says; every other end keeps them for the next start to take over.
 */
import { isatty } from 'node:tty'
import { inspect } from 'node:util'
import { writeOutput } from './output.js'

/** What a start that is under way may take until it can be undone. */
const startMs = 30_000
/** A Ctrl-C reaches the server twice below npm, once from the terminal and once from npm: so close together they are one. */
const onceMs = 1_000
/** Of an error that comes again and again, so many are told. */
const mostErrors = 10

/** `start` gets the ending, to add what has to be undone to it, and must not go on once `isUnderWay()`. */
export function runUntilEnded (start) {
  const steps = []
  let log
  let onExit = 'keep'
  let isStarting = true
  /** When a signal asked for the end. */
  let asked
  /** What is done with the services, once the end is under way. */
  let under
  let errors = 0
  let status = 0

  function say (level, message, fields = {}) {
    if (log === undefined) writeOutput(`${message}\n${fields.err?.stack ?? ''}\n`)
    else log[level](fields, message)
  }

  function timeOf (services) {
    if (isStarting) return `once the start is over, which is waited for ${startMs / 1000} s`
    return `within ${Math.ceil(steps.reduce((sum, { limit }) => sum + limit(services), 0) / 1000)} s`
  }

  async function undo (services) {
    await within(started, startMs).catch(() => {})
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      const ms = step.limit(services)
      try {
        if (await within(step.run(services), ms) === late) throw new Error(`the ${step.what} did not end in ${ms / 1000} s`)
      } catch (err) {
        status = 1
        say('error', err.message, { err })
      }
    }
  }

  function end (services) {
    if (under !== undefined) return
    under = services
    undo(services).finally(() => { process.exit(status) })
  }

  function ask (signal) {
    if (asked === undefined) {
      asked = performance.now()
      const services = under ?? onExit
      say('warn', `${signal}: ${services === 'stop' ? 'the services are stopped' : 'the services run on'} and the server ends, ` +
        `${timeOf(services)}; a second SIGINT or SIGTERM ends at once and leaves what still runs to the next start`)
      end(services)
    } else if (performance.now() - asked > onceMs) {
      say('warn', `a second ${signal}: what still runs is left to the next start`)
      process.exit(1)
    }
  }

  function fail (given, what = 'an error that nobody caught') {
    status = 1
    const err = given instanceof Error ? given : new Error(`thrown: ${inspect(given, { depth: 1 })}`)
    end('keep')
    if (++errors > mostErrors) return
    say('fatal', `${what}: the server ends, and the services ${under === 'stop' ? 'are stopped' : 'run on for the next start'}`, { err })
  }

  process.on('SIGINT', ask)
  process.on('SIGTERM', ask)
  process.on('SIGHUP', () => {
    // Under `nohup`, or as a service of the system, there is none that could be gone.
    if (!hasTerminal) return say('warn', 'SIGHUP: nothing is done, as there is no terminal')
    say('warn', 'SIGHUP: the terminal is gone; the server ends, and the services run on for the next start')
    end('keep')
  })
  process.on('uncaughtException', error => { fail(error) })
  // Without a handler Node.js would open its debugger, to whoever reaches the loopback of this machine.
  process.on('SIGUSR1', () => { say('warn', 'SIGUSR1: nothing is done') })

  const started = Promise.resolve(start({
    isUnderWay: () => under !== undefined,
    /** The end is under way, and the services are left to the next start. */
    isToKeep: () => under === 'keep',
    /** Where it is told, and what a signal does with the services. */
    use: given => { ({ log = log, onExit = onExit } = given) },
    /** An error after which it cannot go on: the services are kept. */
    fail: error => { fail(error, error.message) },
    /** `run` and `limit`, the milliseconds that it may take, are told whether the services are to `stop` or to `keep`. */
    add: (what, run, limit) => { steps.push({ what, run, limit }) }
  })).catch(error => {
    if (under === undefined) status = 1
    process.stderr.write(`${error.message}${error.code === undefined ? '' : ` (${error.code})`}\n`)
    if (under === undefined && steps.some(({ what }) => what === 'runtime')) process.stderr.write('The services run on for the next start\n')
    end('keep')
  }).finally(() => { isStarting = false })
}

const hasTerminal = [0, 1, 2].some(file => isatty(file))

const late = Symbol('late')

async function within (promise, ms) {
  let timer
  const over = new Promise(resolve => { timer = setTimeout(resolve, ms, late) })
  try {
    return await Promise.race([promise, over])
  } finally {
    clearTimeout(timer)
  }
}
