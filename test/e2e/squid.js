/**
 * A flying-squid server, small, flat and without accounts, as a platform runs it.
 *
 *     SERVICE_PORT=25566 node squid.js 1.16.5
 *
 * Its console and its log are flying-squid's own. Its own program is of no use here: it takes no settings (1.8.0 lays its defaults over them).
 */
import squid from 'flying-squid'

const { SERVICE_HOST: host = '127.0.0.1', SERVICE_PORT: port, SERVICE_MOTD: motd = 'squid', SERVICE_MAX_PLAYERS: slots = '20' } = process.env

squid.createMCServer({
  version: process.argv[2],
  host,
  port: Number(port),
  motd,
  'max-players': Number(slots),
  'online-mode': false,
  gameMode: 1,
  difficulty: 0,
  generation: { name: 'superflat', options: {} },
  'view-distance': 1,
  'max-entities': 20,
  'player-list-text': { header: { text: '' }, footer: { text: '' } },
  plugins: {}
})
// As its own program does.
process.on('unhandledRejection', error => console.log(error.stack))
