/** The verb on what platforms download, for an operator who does not want to wait for it later. */
import type { PlatformDownloads as DownloadControl } from '../../../../types/runtime.js'
import type { Platforms } from '../content/platforms.js'
import { promised, run, wait } from '../task.js'
import type { PlatformDownloads } from './downloads.js'

export function createDownloadControl (platforms: Platforms, downloads: PlatformDownloads): DownloadControl {
  return {
    fetch: (name, version) => promised(run(function * () {
      yield * wait(platforms.refresh())
      const chosen = platforms.all.filter(one => name === undefined || one.name === name)
      const missing = name !== undefined && (chosen.length === 0 || (version !== undefined && chosen[0]?.versions.includes(version) !== true))
      if (missing) return false
      return chosen.flatMap(one => one.versions.filter(its => version === undefined || its === version).flatMap(its => downloads.fetch(one, its)))
        .map(({ platform, version, to, says }) => `${platform} ${version} ${to} ${says}`)
    }()))
  }
}
