/** An image without any registry: a shell, Node.js and the libraries that it needs, of this machine. */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Lays the files into a directory, and answers a tar of them. */
export async function packBase (directory) {
  const put = (from, to = from) => {
    mkdirSync(dirname(join(directory, to)), { recursive: true })
    cpSync(realpathSync(from), join(directory, to))
  }
  for (const name of ['tmp', 'bin', 'etc']) mkdirSync(join(directory, name), { recursive: true })
  chmodSync(join(directory, 'tmp'), 0o1777)
  put(process.execPath, '/usr/bin/node')
  for (const library of librariesOf(process.execPath)) put(library)
  put(execFileSync('sh', ['-c', 'command -v busybox'], { encoding: 'utf8' }).trim(), '/bin/busybox')
  // Links, as `busybox --install` makes them.
  execFileSync('sh', ['-c', 'for name in $(./busybox --list); do [ "$name" = busybox ] || ln -s busybox "$name"; done'], { cwd: join(directory, 'bin') })
  writeFileSync(join(directory, 'etc/passwd'), 'root:x:0:0:root:/:/bin/sh\n')
  const file = `${directory}.tar`
  execFileSync('tar', ['-c', '-f', file, '--owner=0', '--group=0', '-C', directory, '.'])
  return file
}

/** What a program is linked with. */
export const librariesOf = program => [...execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path)
