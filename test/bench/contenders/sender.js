/** What one would write: `ws`, and every line sent to every watcher. */
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'
import { listen, plainApp } from './listen.js'

await listen(async () => {
  const server = createServer((_request, response) => { response.end() })
  const { clients } = new WebSocketServer({ server, perMessageDeflate: false })
  return {
    app: plainApp(server),
    print: lines => {
      for (const line of lines) {
        for (const client of clients) client.send(line)
      }
    }
  }
})
