/** What one would write: `ws`, and every line sent to every watcher. */
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'
import { listen } from './listen.js'

await listen(async () => {
  const server = createServer((_request, response) => { response.end() })
  const { clients } = new WebSocketServer({ server, perMessageDeflate: false })
  return {
    app: {
      server,
      listen: ({ port, host }) => new Promise(resolve => {
        server.listen(port, host, () => { resolve(`http://127.0.0.1:${server.address().port}`) })
      })
    },
    print: lines => {
      for (const line of lines) {
        for (const client of clients) client.send(line)
      }
    }
  }
})
