/** What the clouds of the benchmark consist of; the same for every contender. */

export function servicesOf (count) {
  return Array.from({ length: count }, (_, index) => ({
    name: `lobby-${index + 1}`,
    state: 'ONLINE',
    type: 'SERVER',
    groupName: 'lobby',
    hostname: '127.0.0.1',
    port: 20_000 + index,
    templates: [{ name: 'EVERY', size: '12.4 MB' }, { name: 'EVERY_SERVER', size: '3.1 MB' }, { name: 'lobby', size: '240.7 MB' }],
    properties: { fallback: 'true', static: 'false' },
    minMemory: 512,
    maxMemory: 1024,
    playerCount: index % 50,
    maxPlayerCount: 100,
    memoryUsage: 412.5 + index,
    cpuUsage: 1.25,
    motd: `A lobby of the network, number ${index + 1}`,
    createdAt: 1_700_000_000_000 + index
  }))
}

/** Names in no order, as they would come. */
export function playersOf (count) {
  return Array.from({ length: count }, (_, index) => {
    const mixed = Math.imul(index, 0x9e3779b1) >>> 0
    return {
      name: `player_${mixed.toString(36)}`,
      uuid: `00000000-0000-3000-8000-${mixed.toString(16).padStart(12, '0')}`,
      currentServiceName: `lobby-${index % 100 + 1}`
    }
  })
}
