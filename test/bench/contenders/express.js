/**
 * What many would write: Express, cookie-parser and jsonwebtoken, with the checks of ours written by hand. The key is a
 * KeyObject (a string secret makes jsonwebtoken forty times slower) and nothing that costs is switched on.
 */
import { createSecretKey } from 'node:crypto'
import cookieParser from 'cookie-parser'
import express from 'express'
import jwt from 'jsonwebtoken'
import { listen } from './listen.js'
import { servicesOf } from '../things.js'

await listen(async ({ self, session, services = 100 }) => {
  const key = createSecretKey(Buffer.from('a secret for measurements, longer than 32 bytes'))
  const users = new Map([[self.uuid, self]])
  const roles = new Map([[self.role.id, self.role]])
  const sessions = new Map([[session.jti, { ip: session.ip, userAgent: session.userAgent }]])
  const lastActivity = new Map()
  const all = servicesOf(services)

  const app = express()
  app.disable('etag')
  app.disable('x-powered-by')
  app.use(cookieParser())

  const refuse = (response, status, message) => response.status(status).json({ status, message })
  const guard = permission => (request, response, next) => {
    response.set('cache-control', 'no-store').set('x-content-type-options', 'nosniff')
    const { token } = request.cookies
    if (token === undefined) return refuse(response, 401, 'Missing token')
    let claims
    try {
      claims = jwt.verify(token, key, { algorithms: ['HS256'] })
    } catch {
      return refuse(response, 401, 'Invalid or expired token')
    }
    const known = sessions.get(claims.jti)
    const user = users.get(claims.uuid)
    if (known === undefined || user === undefined || known.ip !== request.ip || known.userAgent !== (request.get('user-agent') ?? '')) {
      return refuse(response, 401, 'Invalid or expired token')
    }
    if (!user.hasChangedPassword) return refuse(response, 403, 'Password change required')
    if (permission !== undefined && !roles.get(user.role.id).permissions.includes(permission)) return refuse(response, 403, 'Forbidden')
    lastActivity.set(claims.jti, Date.now())
    request.user = user
    next()
  }

  const isService = one => typeof one.name === 'string' && one.name !== '' &&
    ['ONLINE', 'OFFLINE', 'STARTING', 'STOPPING'].includes(one.state) && ['SERVER', 'PROXY'].includes(one.type) &&
    typeof one.groupName === 'string' && typeof one.hostname === 'string' && Number.isInteger(one.port) &&
    one.templates.every(({ name, size }) => typeof name === 'string' && typeof size === 'string') &&
    Object.values(one.properties).every(value => typeof value === 'string') &&
    one.minMemory >= 0 && one.maxMemory >= 0 && Number.isInteger(one.playerCount) && Number.isInteger(one.maxPlayerCount) &&
    one.memoryUsage >= 0 && one.cpuUsage >= 0 && typeof one.motd === 'string'
  const shown = ({ createdAt, ...service }) => service

  app.get('/services/list', guard('cloud.service.list'), (_request, response) => {
    response.json({ status: 200, data: all.filter(isService).map(shown) })
  })
  app.get('/user/self', guard(), (request, response) => {
    response.json({ status: 200, data: request.user })
  })

  return {
    app: {
      listen: ({ port, host }) => new Promise(resolve => {
        const server = app.listen(port, host, () => { resolve(`http://127.0.0.1:${server.address().port}`) })
      })
    }
  }
})
