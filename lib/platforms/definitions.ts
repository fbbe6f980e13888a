/* eslint-disable no-template-curly-in-string -- these are the placeholders of platforms */
/** What stands in the file of a ready platform, versions and downloads apart. */

/** What is in front of servers, and has to be believed by them. */
export type Behind = 'velocity' | 'bungeecord' | 'none'

/** A definition without what a release adds to it. */
export type Body = Readonly<Record<string, unknown>>

const memory = ['-Xms${minMemory}M', '-Xmx${maxMemory}M']
/** Short pauses, and a program that cannot stop the world for everybody. Nothing that takes all its memory at once: a cloud has many small ones. */
const tuning = ['-XX:+UseG1GC', '-XX:+ParallelRefProcEnabled', '-XX:MaxGCPauseMillis=200', '-XX:+DisableExplicitGC', '-Dfile.encoding=UTF-8']
const server = {
  type: 'SERVER',
  command: 'java',
  ready: { log: '\\bDone \\([0-9.,]+s\\)!' },
  startTimeout: 300_000,
  stop: { stdin: 'stop' },
  stopTimeout: 60_000
}
const proxy = { type: 'PROXY', command: 'java', ready: { status: true }, startTimeout: 60_000, stop: { stdin: 'end' }, stopTimeout: 20_000, port: 25565 }
const eula = { 'eula.txt': 'eula=true\n' }

/** What a server of Paper's family reads to believe the proxy in front of it, and nobody else. */
const forwarding: Readonly<Record<Behind, Readonly<Record<string, string>>>> = {
  velocity: {
    'config/paper-global.yml': 'proxies:\n  velocity:\n    enabled: true\n    online-mode: true\n    secret: "${secret:forwarding}"\n'
  },
  bungeecord: {
    'spigot.yml': 'settings:\n  bungeecord: true\n',
    'config/paper-global.yml': 'proxies:\n  bungee-cord:\n    online-mode: true\n'
  },
  none: {}
}

/** Paper and what is made of it take as arguments what others read from `server.properties`, which so stays the templates' own. */
export const paperLike = (behind: Behind): Body => ({
  ...server,
  args: [
    ...memory, ...tuning, '-Dterminal.jline=false', '-Dterminal.ansi=true', '-jar', 'server.jar', '--nogui',
    '--host', '${host}', '--port', '${port}', '--max-players', '${maxPlayers}', '--online-mode', String(behind === 'none')
  ],
  files: { ...eula, ...forwarding[behind] }
})

const properties = 'server-ip=${host}\nserver-port=${port}\nmax-players=${maxPlayers}\nonline-mode=true\nmotd=${name}\n'

export const vanilla: Body = { ...server, args: [...memory, ...tuning, '-jar', 'server.jar', '--nogui'], files: { ...eula, 'server.properties': properties } }

/** Behind Velocity it needs the mod FabricProxy-Lite. Without it nobody gets in: that is why `online-mode` stays true. */
export const fabric = (behind: Behind): Body => ({
  ...server,
  args: [...memory, ...tuning, '-jar', 'server.jar', '--nogui'],
  files: {
    ...eula,
    'server.properties': properties,
    ...(behind === 'velocity' ? { 'config/FabricProxy-Lite.toml': 'hackOnlineMode = true\nhackEarlySend = false\nhackMessageChain = true\nsecret = "${secret:forwarding}"\n' } : {})
  }
})

const velocityToml = `config-version = "2.7"
bind = "\${host}:\${port}"
motd = "\${group}"
show-max-players = \${maxPlayers}
online-mode = true
player-info-forwarding-mode = "modern"
forwarding-secret-file = "forwarding.secret"

[servers]
try = []

[forced-hosts]
`

export const velocity: Body = {
  ...proxy,
  args: [...memory, '-XX:+UseG1GC', '-XX:+ParallelRefProcEnabled', '-XX:MaxInlineLevel=15', '-jar', 'server.jar'],
  files: { 'velocity.toml': velocityToml, 'forwarding.secret': '${secret:forwarding}' },
  network: { writer: 'velocity', file: 'velocity.toml', reload: { stdin: 'velocity reload' } }
}

/** One server has to be there, or it does not start: a parked one, at an address where nobody is. */
const bungeeYml = `ip_forward: true
online_mode: true
player_limit: \${maxPlayers}
listeners:
- host: \${host}:\${port}
  motd: '\${group}'
  max_players: \${maxPlayers}
  force_default_server: true
  priorities:
  - parked
  forced_hosts: {}
servers:
  parked:
    address: 127.0.0.1:1
    motd: parked
    restricted: false
`

export const bungeecord: Body = {
  ...proxy,
  args: [...memory, '-XX:+UseG1GC', '-XX:+ParallelRefProcEnabled', '-jar', 'server.jar'],
  files: { 'config.yml': bungeeYml },
  network: { writer: 'bungeecord', file: 'config.yml', reload: { stdin: 'greload' } }
}
