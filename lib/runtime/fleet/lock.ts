/**
 * One core to a directory. The lock is a listening socket in it: the kernel closes it with the process, however that
 * ends, and whoever comes next finds out by connecting.
 *
 * Two that start at once must not both win, so no name is ever taken over: each holder has a number of its own,
 * `core.<n>.sock`, one above all dead ones, and gets it by `link`, which exactly one of many can do. Whoever sees a
 * higher living number after that steps back.
 */
import { closeSync, constants, linkSync, openSync, readdirSync, unlinkSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { codeOf, SetupError } from './faults.js'

export interface Lock {
  release (): Promise<void>
}

const NAME = /^core\.(\d{1,15})\.sock$/

/** Takes the directory or throws `CLOUD_ERR_DIRECTORY_IN_USE`. */
export async function lockDirectory (directory: string): Promise<Lock> {
  // A socket's path may have 107 bytes only; through the descriptor it is short wherever the directory is. What is taken is taken from this
  // directory, whichever has its name by then.
  const descriptor = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY)
  const temporary = `.core.${process.pid}.${process.hrtime.bigint()}.sock`
  const server = createServer(socket => socket.on('error', () => {}).destroy())
  const reach = (name: string) => `/proc/self/fd/${descriptor}/${name}`
  const drop = (name: string) => {
    try {
      unlinkSync(reach(name))
    } catch {}
  }
  let mine: string | undefined
  const release = async () => {
    if (mine !== undefined) drop(mine)
    drop(temporary)
    await new Promise(resolve => server.close(resolve))
    closeSync(descriptor)
  }
  try {
    await listen(server, reach(temporary))
    while (mine === undefined) {
      const dead = await numbers(directory, reach)
      const name = `core.${Math.max(0, ...dead) + 1}.sock`
      try {
        linkSync(reach(temporary), reach(name))
        mine = name
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error
      }
    }
    const own = numberOf(mine)
    await numbers(directory, reach, own)
    for (const name of readdirSync(reach('.'))) {
      if (NAME.test(name) && numberOf(name) < own) drop(name)
    }
    drop(temporary)
  } catch (error) {
    await release()
    throw error
  }
  return { release }
}

/** The numbers of dead holders; a living one (other than `own`) is an error. */
async function numbers (directory: string, reach: (name: string) => string, own?: number): Promise<number[]> {
  const dead: number[] = []
  for (const name of readdirSync(reach('.'))) {
    if (!NAME.test(name)) continue
    const number = numberOf(name)
    // Lower ones were dead when ours was taken, or are about to see ours and step back.
    if (own !== undefined && number <= own) continue
    if (await answers(reach(name))) {
      throw new SetupError('CLOUD_ERR_DIRECTORY_IN_USE',
        `Another core is running on ${directory}: stop it first, or give this one a directory of its own`)
    }
    dead.push(number)
  }
  return dead
}

function numberOf (name: string): number {
  return Number(NAME.exec(name)?.[1] ?? 0)
}

function listen (server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ path }, () => {
      server.off('error', reject)
      server.on('error', () => {})
      server.unref()
      resolve()
    })
  })
}

/** Only a refusal (or a name that vanished) proves that nobody holds it; a full backlog is somebody busy. */
function answers (path: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ path })
    const settle = (alive: boolean) => {
      socket.destroy()
      resolve(alive)
    }
    socket.once('connect', () => settle(true))
    socket.on('error', error => settle(!['ECONNREFUSED', 'ENOENT'].includes(codeOf(error) ?? '')))
  })
}
