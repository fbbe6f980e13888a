/** Copies of what may be changed, taken away or locked while it is copied. Each function answers what could not be read, a line each. */
import { spawn } from 'node:child_process'
import { lstat, readdir, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize } from 'node:path'
import { removeTree } from 'fastify-cloud/runtime/fleet'
import { copy, mostTold, own, shortened, told } from './copy.js'

/** What is exchanged while it is copied has the copy made once more. */
export const attempts = 3
/** One file, without which there is no backup. */
export async function copyExactly (from, to) {
  const { unread, gone, replaced } = await copy(from, to, { given: true })
  if (unread.length > 0 || gone || replaced) throw new Error(unread[0] ?? `${from} was taken away while it was copied`)
  return []
}

/** A directory of small files, each of which is replaced as a whole; an operator may have put links in it. */
export async function copyAll (from, to) {
  await stat(from)
  for (let attempt = 1; ; attempt++) {
    const found = await copy(from, to, { given: true, follow: true })
    if (!found.replaced) return [...told(found, from), ...await lostLinks(from, to)]
    if (attempt === attempts) return [...told(found, from), `${from} was changed while it was copied: what was being written is not in it`]
    await removeTree(to)
  }
}

/** Links that lead nowhere: `cp` says of them what it says of files that were taken away meanwhile. */
async function lostLinks (from, to) {
  const lost = []
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.isSymbolicLink() && !await isThere(join(to, entry.name))) lost.push(leadsNowhere(join(from, entry.name)))
  }
  return lost
}

export const idOf = ({ dev, ino }) => `${dev}:${ino}`

/** Tells one directory from what takes its place. */
export const identify = async path => await lstat(path, { bigint: true }).then(idOf, error => {
  if (error.code === 'ENOENT') return undefined
  throw error
})

/** Whether a link stands there that leads to nothing: its disk is not mounted, perhaps. */
export const isAway = async path => await isThere(path) && !await stat(path).then(() => true, error => error.code !== 'ENOENT')

export const leadsNowhere = path => `${path} is a link that leads nowhere`

/** Links of a copy that lead out of it: to what it does not have, and what the original may be writing. */
export async function linksOut (from, copied) {
  const child = spawn('find', [copied, '-type', 'l', '-printf', '%P\\0%l\\0'], { env: own, stdio: ['ignore', 'pipe', 'ignore'] })
  const found = { unread: [], more: 0 }
  let rest = ''
  for await (const piece of child.stdout.setEncoding('utf8')) {
    const texts = (rest + piece).split('\0')
    rest = texts.splice(texts.length - 1 - (texts.length - 1) % 2).join('\0')
    for (let n = 0; n < texts.length; n += 2) {
      const [path, target] = [texts[n], texts[n + 1]]
      const isInside = !isAbsolute(target) && !/^\.\.(?:\/|$)/.test(normalize(join(dirname(path), target)))
      if (isInside) continue
      if (found.unread.length === mostTold) found.more++
      else found.unread.push(`${join(from, shortened(path))} is a link to ${shortened(target)}: what is there is not in it`)
    }
  }
  return told(found, from)
}

/** A link that leads nowhere is there as well: what it should lead to is not left out in silence. */
export const isThere = async path => await lstat(path).then(() => true, error => {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false
  throw error
})
