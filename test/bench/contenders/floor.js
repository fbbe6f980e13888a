/** The physical floor: node:http with `JSON.stringify`, and of each change the same to everybody who follows. */
import { createServer } from 'node:http'
import { listen, plainApp } from './listen.js'
import { servicesOf } from '../things.js'

await listen(async ({ services = 100 }) => {
  const all = servicesOf(services)
  const shown = ({ createdAt, ...service }) => service
  const followers = new Set()
  const server = createServer((request, response) => {
    if (request.url === '/services/list') {
      const body = JSON.stringify({ status: 200, data: all.map(shown) })
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) }).end(body)
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`event: snapshot\ndata: ${JSON.stringify({ services: all.map(shown) })}\n\n`)
    followers.add(response)
    response.on('close', () => { followers.delete(response) })
  })
  return {
    app: plainApp(server),
    print: lines => {
      for (const line of lines) {
        const at = Number.parseInt(line) % all.length
        all[at] = { ...all[at], motd: line }
        for (const follower of followers) follower.write(`event: changed\ndata: ${JSON.stringify({ topic: 'services', item: shown(all[at]) })}\n\n`)
      }
    }
  }
})
