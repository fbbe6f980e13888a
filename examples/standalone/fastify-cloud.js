#!/usr/bin/env node
/** The programs of `examples/standalone` under one name: `fastify-cloud start`, `admin` and `console`. */
const commands = { start: 'server.js', admin: 'admin.js', console: 'console.js' }
const usage = `Usage: fastify-cloud <command>

  start                              starts the server; its settings are variables of the environment
  admin reset-password <username>    gives a user a new password, on the machine of the server itself
  admin key list|create|delete       lists, makes and ends API keys, on the machine of the server itself
  admin platform list|add|…          adds ready platforms (paper, velocity, …), and fetches what platforms download
  admin backup <directory>           copies the cloud, while the server runs or not
  admin <command of the terminal>    does in the running server what the terminal does; for cron, for instance
  console <service> [username]       follows the console of a service, and sends what is typed

Each tells more with --help.`

const [command] = process.argv.slice(2)
const isKnown = command !== undefined && Object.hasOwn(commands, command)
if (isKnown) {
  // Each reads what is behind its own name.
  process.argv.splice(1, 2, `fastify-cloud ${command}`)
  await import(`./${commands[command]}`)
} else if (['--help', '-h', 'help'].includes(command)) {
  console.log(usage)
} else {
  console.error(usage)
  process.exitCode = 2
}
