/**
 * `npm run bench`: all rows, or `node test/bench/run.js services-list self` for some. Every row runs its contenders as
 * child processes on one core and the load on another, in interleaved rounds; the figure is the CPU of the server for each
 * request, as the median ratio over the rounds. Exit status 1 when a figure misses its goal.
 */
import { existsSync } from 'node:fs'

if (!existsSync(new URL('./node_modules', import.meta.url))) {
  console.error('The benchmark has dependencies of its own: cd test/bench && npm ci')
  process.exit(1)
}
const { pinLoad, stopAll } = await import('./contender.js')
const { show } = await import('./figures.js')

const all = ['start', 'services-list', 'services-floor', 'self', 'players', 'services-10000', 'logins', 'watchers', 'events', 'journal', 'stalled', 'history', 'dashboard']
const wanted = process.argv.length > 2 ? process.argv.slice(2) : all
const unknown = wanted.find(row => !all.includes(row))
if (unknown !== undefined) {
  console.error(`There is no row ${unknown}; there are ${all.join(', ')}`)
  process.exit(1)
}

await pinLoad()
const started = performance.now()
let isMissed = false
for (const row of wanted) {
  console.log(row)
  try {
    const { default: run } = await import(`./rows/${row}.js`)
    for (const figure of await run()) {
      console.log(show(figure))
      isMissed ||= figure.verdict === 'MISSED'
    }
  } catch (error) {
    console.error(error)
    isMissed = true
    stopAll()
  }
}
console.log(`${Math.round((performance.now() - started) / 1000)} s, Node ${process.version}`)
process.exit(isMissed ? 1 : 0)
