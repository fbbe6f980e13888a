/** A runtime of empty lists with one console, `lobby-1`, on which the test prints. */
export function consoleRuntime () {
  const lines = []
  const listeners = new Set()
  const none = { list: () => [] }
  return {
    services: none,
    groups: none,
    platforms: none,
    players: none,
    metrics: { sample: () => ({ cpu: { core: 0, services: 0 }, memory: { core: 0, services: 0 }, runtime: 'none', uptime: 0 }) },
    consoles: {
      follow: (name, listener, { signal }) => {
        if (name !== 'lobby-1') return false
        if (lines.length > 0) listener([...lines])
        listeners.add(listener)
        signal.addEventListener('abort', () => { listeners.delete(listener) }, { once: true })
        return true
      }
    },
    print: (...more) => {
      lines.push(...more)
      for (const listener of listeners) listener(more)
    }
  }
}
