/** GET /services/list of 10,000 services, fresh each time: what it costs, and what others notice of it. */
import { cloud } from '../clouds.js'
import { figure } from '../figures.js'
import { interleave, ratios, rounds, steadyP99 } from '../load.js'
import { press } from '../pressure.js'

export default async function () {
  const few = await cloud({ services: 100 })
  const many = await cloud({ services: 10_000 })
  // The same load for both: two who ask again as soon as they have their answer.
  const of = (name, { contender, url, headers }) => ({ name, contender, url: `${url}/services/list`, headers, connections: 2 })
  const [small, large] = await interleave([of('100 services', few), of('10,000 services', many)])
  const p99s = []
  for (let round = 0; round < rounds; round++) {
    const [p99] = await Promise.all([
      steadyP99(`${many.url}/user/self`, many.headers, { every: 10 }),
      press(`${many.url}/services/list`, many.headers, { connections: 1, seconds: 1 })
    ])
    p99s.push(p99)
  }
  await Promise.all([few.contender.stop(), many.contender.stop()])
  return [
    figure('services list of 10,000, fresh, against of 100', ratios(large, small), { atMost: 110 }),
    figure('other requests meanwhile, p99', p99s, { atMost: 50, unit: ' ms', isP99: true })
  ]
}
