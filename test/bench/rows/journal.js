/** The journal of 10,000 services of which 100 change in a second, while nobody follows. */
import { cloud } from '../clouds.js'
import { figure } from '../figures.js'
import { follow } from '../follower.js'
import { rounds } from '../load.js'

export default async function () {
  const { contender, url, keyHeaders } = await cloud({ services: 10_000, numbered: true, changing: true })
  // There is a journal from the first follower on.
  const { socket } = await follow(`${url}/events?topics=services`, keyHeaders)
  socket.destroy()
  const percents = []
  for (let round = 0; round <= rounds; round++) {
    const before = contender.cpu()
    const began = performance.now()
    await contender.ask({ do: 'print', rate: 100, length: 80 })
    await new Promise(resolve => setTimeout(resolve, 2_000))
    await contender.ask({ do: 'stop' })
    // The first round is the warm-up.
    if (round > 0) percents.push((contender.cpu() - before) * 100_000 / (performance.now() - began))
  }
  await contender.stop()
  return [figure('journal of 10,000 services, 100 changes/s, none following', percents, { atMost: 2, unit: ' %' })]
}
