/** What all contenders do alike: make the server that is wanted, listen on loopback, answer questions of the load. */
import { printer } from './printer.js'

/** What a server of `node:http` needs to listen as an app of Fastify does. */
export const plainApp = server => ({
  server,
  listen: ({ port, host }) => new Promise(resolve => {
    server.listen(port, host, () => { resolve(`http://127.0.0.1:${server.address().port}`) })
  })
})

export async function listen (make) {
  process.on('disconnect', () => { process.exit() })
  process.on('SIGTERM', () => { process.exit() })
  const options = await new Promise(resolve => { process.once('message', resolve) })
  const { app, prefix = '', print, grow } = await make(options)
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const answer = printer(print)
  process.on('message', question => {
    if (question.do === 'count') app.server.getConnections((_error, connections) => { process.send({ connections }) })
    else if (question.do === 'grow') process.send(grow(question))
    else process.send(answer(question))
  })
  process.send({ url: `${address}${prefix}` })
}
