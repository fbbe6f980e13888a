/** One GET every 5 ms, while nothing else happens and while 50 logins are under way. */
import { cloud } from '../clouds.js'
import { figure } from '../figures.js'
import { ask, ratios, steadyP99 } from '../load.js'

const storms = 3
const windows = 3
const logins = 50

export default async function () {
  const { contender, url, headers } = await cloud({})
  const p99 = () => steadyP99(`${url}/user/self`, headers)
  const login = () => ask(`${url}/auth/login`, { method: 'POST', body: { username: 'user', password: 'tr0ub4dor & three' } })
  await p99()
  const idle = []
  const busy = []
  for (let storm = 0; storm < storms; storm++) {
    for (let window = 0; window < windows; window++) idle.push(await p99())
    let underWay = logins
    const all = Promise.all(Array.from({ length: logins }, () => login().finally(() => { underWay-- })))
    for (let window = 0; window < windows; window++) {
      busy.push(await p99())
      if (underWay === 0) throw new Error('The logins were over before the measurement was')
    }
    const wrong = (await all).find(({ status }) => status >= 300)
    if (wrong !== undefined) throw new Error(`A login was refused: ${wrong.status} ${wrong.body}`)
  }
  await contender.stop()
  return [
    figure('GET during 50 logins, p99, against idle', ratios(busy, idle), { atMost: 3, isP99: true }),
    figure('GET during 50 logins, p99', busy, { atMost: 30, unit: ' ms', isP99: true })
  ]
}
