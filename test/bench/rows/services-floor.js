/** GET /services/list, fresh, of 100, 1,000 and 10,000 services, against node:http with `JSON.stringify` and nothing else. */
import { cloud } from '../clouds.js'
import { contend } from '../contender.js'
import { figure } from '../figures.js'
import { compareAnswers, interleave, ratios } from '../load.js'

export default async function () {
  const figures = []
  for (const services of [100, 1_000, 10_000]) {
    const own = await cloud({ services })
    const plain = await contend('floor.js', { services })
    const of = (name, { contender, url, headers }) => ({ name, contender, url: `${url}/services/list`, headers, connections: services > 1_000 ? 2 : 16 })
    const contenders = [of(`node:http, ${services} services`, { contender: plain, url: plain.url, headers: {} }), of(`ours, ${services} services`, own)]
    await compareAnswers(contenders)
    const [floor, ours] = await interleave(contenders)
    await Promise.all([own.contender.stop(), plain.stop()])
    figures.push(figure(`services list of ${services}, fresh, against node:http alone`, ratios(floor, ours), { atLeast: 0.9 }))
  }
  return figures
}
