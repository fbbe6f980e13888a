/** GET /user/self: what the checks themselves cost. */
import { cloud } from '../clouds.js'
import { contend } from '../contender.js'
import { figure } from '../figures.js'
import { compareAnswers, interleave, ratios } from '../load.js'

export default async function () {
  const ours = await cloud({})
  const { self, session, headers } = ours
  const bare = await contend('bare.js', { self })
  const express = await contend('express.js', { self, session })
  const of = (name, contender) => ({ name, contender, url: `${contender.url}/user/self`, headers })
  const contenders = [of('bare Fastify', bare), of('ours', ours.contender), of('Express', express)]
  await compareAnswers(contenders)
  const [floor, own, other] = await interleave(contenders)
  await Promise.all(contenders.map(({ contender }) => contender.stop()))
  return [
    figure('own account, against bare Fastify', ratios(floor, own), { atLeast: 0.75 }),
    figure('own account, against Express', ratios(other, own), { atLeast: 4 })
  ]
}
