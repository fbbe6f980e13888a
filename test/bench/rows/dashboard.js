/** How much of the dashboard travels: all of its scripts, and what the first view needs. */
import { built } from '../built.js'
import { figure } from '../figures.js'

const kb = bytes => bytes / 1_000

export default async function () {
  const { assets, needed, script, style } = await built('lib/dashboard/assets.js')
  const sizes = new Map(assets.map(({ name, brotli }) => [name, Buffer.from(brotli, 'base64').length]))
  const sum = names => [kb(names.reduce((total, name) => total + sizes.get(name), 0))]
  return [
    figure('dashboard: all scripts, compressed', sum([...sizes.keys()].filter(name => name.endsWith('.js'))), { atMost: 120, unit: ' kB' }),
    figure('dashboard: scripts and styles of the first view, compressed', sum([script, style, ...needed]), { atMost: 40, unit: ' kB' })
  ]
}
