/** Copies of templates and of the groups that name them, as they were at one moment: a rename changes both. */
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, mkdir, open, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from 'fastify-cloud/runtime/fleet'
import { attempts, copyAll, identify, idOf, isThere, linksOut } from './copies.js'
import { copy, told } from './copy.js'

/** So often it is looked whether anything has changed since it was copied. */
const rounds = 5

/** What says that a rename is under way; the next core takes that back. */
const journal = '.renaming.json'

/** Copies both from one cloud's directory to that of its backup; answers what is not in it, or not whole, a line each. */
export async function copyTemplatesAndGroups (directory, half) {
  const [from, to] = [join(directory, 'templates'), join(half, 'templates')]
  const copies = createCopies(from, to)
  await mkdir(to)
  await chmod(to, (await stat(from)).mode & 0o777)
  let [leftOut, missing] = [[], []]
  for (let round = 0; round < rounds; round++) {
    // Moves with each rename, also where a second one takes the first back.
    const { mtimeNs } = await stat(from, { bigint: true })
    const listed = await copies.catchUp()
    await removeTree(join(half, 'groups'))
    leftOut = await copyAll(join(directory, 'groups'), join(half, 'groups'))
    missing = copies.lacks(listed)
    const isSame = missing.length === 0 && (await stat(from, { bigint: true })).mtimeNs === mtimeNs
    if (isSame && !await isThere(join(from, journal))) break
  }
  const never = missing.map(name => `${join(from, name)} was exchanged all the while: it is not in it`)
  return [...leftOut, ...copies.leftOut(), ...await linksOut(from, to), ...never, ...await agree(copies, { from, to, groups: join(half, 'groups') })]
}

/** Each template by itself, whatever it is called by now; what is on its way into one is none. */
function createCopies (from, to) {
  /** What is copied, by its identity: under which name, and what of it was left out. */
  const copied = new Map()
  /** Every name that each had while it was looked at. */
  const names = new Map()

  /** The identity of each by its name. */
  async function list () {
    const listed = new Map()
    for (const entry of (await readdir(from)).sort()) {
      if (entry === journal || /^\..+\.tmp$/.test(entry)) continue
      const id = await identify(join(from, entry))
      // For a moment of an exchange a template has another name.
      const exchanged = /^\.(.+)\.[0-9a-f]{12}\.replaced$/.exec(entry)?.[1]
      if (id === undefined || (exchanged !== undefined && await isThere(join(from, exchanged)))) continue
      const name = exchanged ?? entry
      listed.set(name, id)
      names.set(id, (names.get(id) ?? new Set()).add(name))
    }
    return listed
  }

  /** What has another name has it in the copy as well; what is gone goes from it. */
  async function follow (listed) {
    const nameOf = new Map([...listed].map(([name, id]) => [id, name]))
    const moved = []
    for (const [id, { name }] of copied) {
      if (nameOf.get(id) === name) continue
      if (nameOf.has(id)) {
        // Two may have changed names with each other.
        const aside = join(to, `.${randomBytes(6).toString('hex')}.tmp`)
        await rename(join(to, name), aside)
        moved.push([id, aside])
      } else {
        await removeTree(join(to, name))
        copied.delete(id)
      }
    }
    for (const [id, aside] of moved) {
      copied.get(id).name = nameOf.get(id)
      await rename(aside, join(to, nameOf.get(id)))
    }
  }

  /** By its directory and not by its name: that may be another one before it is copied. */
  async function copyOne (name) {
    const [source, target] = [join(from, name), join(to, name)]
    for (let attempt = 1; attempt <= attempts; attempt++) {
      await removeTree(target)
      const directory = await openDirectory(source)
      try {
        const id = directory === undefined ? await identify(source) : idOf(await directory.stat({ bigint: true }))
        if (id === undefined) continue
        const found = await copy(source, target, directory === undefined ? {} : { of: { fd: directory.fd } })
        const isGone = directory === undefined ? await identify(source) !== id : (await directory.stat()).nlink === 0
        const isWhole = !found.replaced && !isGone
        if (!isWhole && attempt < attempts) continue
        // Another one in its place is not there under its name before it is looked again.
        copied.set(id, { name, leftOut: [...told(found, source), ...isWhole ? [] : [`${source} was changed while it was copied: it is as it happened to be`]] })
        return
      } finally {
        await directory?.close()
      }
    }
  }

  return {
    list,
    /** Copies what is not there yet, and answers what there was to be copied. */
    catchUp: async () => {
      const listed = await list()
      await follow(listed)
      for (const [name, id] of listed) {
        const isTaken = [...copied.values()].some(one => one.name === name)
        if (!copied.has(id) && !isTaken) await copyOne(name)
      }
      return listed
    },
    /** The names of what was listed and could not be copied. */
    lacks: listed => [...listed].filter(([, id]) => !copied.has(id)).map(([name]) => name),
    /** The name of the copy of what had that name for a while. */
    nameOf: name => [...copied].find(([id]) => names.get(id)?.has(name))?.[1].name,
    has: name => [...copied.values()].some(one => one.name === name),
    leftOut: () => [...copied.values()].flatMap(({ leftOut }) => leftOut)
  }
}

/** Undefined for what is no directory, or not there. */
const openDirectory = async path => await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(error => {
  if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(error.code)) return undefined
  throw error
})

/** Where a group names what has had another name when it was copied, the next core is told of a rename that it has to take back. */
async function agree (copies, { from, to, groups }) {
  const noted = await readFile(join(from, journal), 'utf8').catch(() => undefined)
  const listed = await copies.list()
  const [missing, unknown] = [new Map(), new Set()]
  for (const file of (await readdir(groups)).filter(name => name.endsWith('.json') && !name.startsWith('.'))) {
    for (const name of await templatesIn(join(groups, file))) {
      // What is nowhere was nowhere before.
      const newName = copies.has(name) ? undefined : copies.nameOf(name)
      if (newName !== undefined) missing.set(name, newName)
      else if (!copies.has(name) && listed.has(name)) unknown.add(name)
    }
  }
  const [first, ...others] = missing
  const note = noted ?? (first === undefined ? undefined : JSON.stringify({ name: first[0], newName: first[1] }))
  if (note !== undefined) await writeFile(join(to, journal), note, { mode: 0o600 })
  return [
    ...(noted === undefined ? others : [...missing]).map(([name, newName]) => `${join(from, name)} was renamed all the while: it is ${newName} there, and groups name it ${name}`),
    ...[...unknown].map(name => `${join(from, name)} was renamed all the while: groups name it, and it is not in it under that name`)
  ]
}

/** The templates that a group names; none where its file cannot be read. */
async function templatesIn (file) {
  try {
    const { templates } = JSON.parse(await readFile(file, 'utf8'))
    return Array.isArray(templates) ? templates.filter(name => typeof name === 'string') : []
  } catch {
    return []
  }
}
