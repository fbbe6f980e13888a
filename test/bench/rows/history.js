/** The stored history: hours of 90 days and days of a year as the storage lists them, against folding minutes. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { built } from '../built.js'
import { figure } from '../figures.js'
import { ratios, rounds } from '../load.js'

const { openSqliteStorage } = await built('lib/storage/sqlite.js')

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const start = Date.UTC(2025, 0, 1)
const year = 365 * day

const fold = width => `select (start_at / ${width}) * ${width} as start, sum(samples) as samples, sum(cpu_core) as cpuCore,
  sum(cpu_services) as cpuServices, sum(memory_core) as memoryCore, sum(memory_services) as memoryServices
  from cloud_metrics where resolution = 'minute' and start_at >= @from and start_at <= @to group by 1 order by 1`

/** Milliseconds that one call takes, over so many calls. */
async function time (work, times) {
  const from = performance.now()
  for (let time = 0; time < times; time++) await work()
  return (performance.now() - from) / times
}

export default async function () {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'))
  const file = join(directory, 'cloud.db')
  try {
    await (await openSqliteStorage({ file })).close()
    fill(file)
    copyFileSync(file, join(directory, 'minutes.db'))
    const storage = await openSqliteStorage({ file })
    const minutes = new Database(join(directory, 'minutes.db'))
    const figures = []
    const end = start + year - 1
    for (const [name, resolution, width, from, goal] of [
      ['history, hours of 90 days, against folding minutes', 'hour', hour, end - 90 * day + 1, 15],
      ['history, days of a year, against folding minutes', 'day', day, start, 300]
    ]) {
      const own = async () => await storage.metrics.list(resolution, from, end)
      const folded = minutes.prepare(fold(width))
      const other = () => folded.all({ from, to: end })
      const [listed, summed] = [await own(), other()]
      const isSame = listed.length === summed.length && listed.every(({ start, samples, cpuCore }, index) =>
        start === summed[index].start && samples === summed[index].samples && Math.abs(cpuCore - summed[index].cpuCore) < 1)
      if (!isSame) throw new Error(`${name}: not the same answer`)
      const fast = []
      const slow = []
      await time(own, 50)
      for (let round = 0; round < rounds; round++) {
        fast.push(await time(own, 20))
        slow.push(await time(other, 1))
      }
      figures.push(figure(name, ratios(slow, fast), { atLeast: goal }))
    }
    minutes.close()
    await storage.close()
    return figures
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** A year of minutes, and the hours and days that they add up to. */
function fill (file) {
  const database = new Database(file)
  const columns = 'resolution, start_at, samples, cpu_core, cpu_services, memory_core, memory_services'
  database.exec(`begin;
    insert into cloud_metrics (${columns})
    with recursive minutes(number) as (select 0 union all select number + 1 from minutes where number < ${year / minute - 1})
    select 'minute', ${start} + number * ${minute}, 12, 12.5, 25.5, 128, 1024 from minutes;`)
  for (const [resolution, width] of [['hour', hour], ['day', day]]) {
    database.exec(`insert into cloud_metrics (${columns})
      select '${resolution}', (start_at / ${width}) * ${width}, sum(samples), sum(cpu_core), sum(cpu_services), sum(memory_core), sum(memory_services)
      from cloud_metrics where resolution = 'minute' group by 2;`)
  }
  database.exec('commit; pragma journal_mode = delete')
  database.close()
}
