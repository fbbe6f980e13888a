/** GET /services/list of 100 services: fresh each time, by token and by key, and by a runtime that numbers its revisions. */
import { cloud } from '../clouds.js'
import { contend } from '../contender.js'
import { figure } from '../figures.js'
import { compareAnswers, interleave, ratios } from '../load.js'

export default async function () {
  const fresh = await cloud({ services: 100 })
  const numbered = await cloud({ services: 100, numbered: true })
  const { self, session, headers } = fresh
  const bare = await contend('bare.js', { self })
  const express = await contend('express.js', { self, session })
  const of = (name, { contender, url, headers }) => ({ name, contender, url: `${url}/services/list`, headers })
  const contenders = [
    of('bare Fastify', { contender: bare, url: bare.url, headers }),
    of('ours, fresh', fresh),
    of('ours, fresh, by key', { ...fresh, headers: fresh.keyHeaders }),
    of('ours, numbered', numbered),
    of('Express', { contender: express, url: express.url, headers })
  ]
  await compareAnswers(contenders)
  const [floor, ours, byKey, kept, other] = await interleave(contenders)
  await Promise.all([...new Set(contenders.map(({ contender }) => contender))].map(contender => contender.stop()))
  return [
    figure('services list, fresh, against bare Fastify', ratios(floor, ours), { atLeast: 0.9 }),
    figure('services list, fresh, by key, against bare Fastify', ratios(floor, byKey), { atLeast: 0.85 }),
    figure('services list, numbered, against bare Fastify', ratios(floor, kept), { atLeast: 6 }),
    figure('services list, fresh, against Express', ratios(other, ours), { atLeast: 1.3 })
  ]
}
