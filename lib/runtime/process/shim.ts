/**
 * The small shell script that stands between the core and a service, so that the one may end without the other.
 *
 * It keeps the service's stdin open, lets its output run straight into a file, and writes down how it ended. It is
 * text handed to `sh -c` and not a file, so that an upgrade of the package cannot change one that is running.
 */
import { spawn, type ChildProcess } from 'node:child_process'

/** What stands in `run/` besides `meta.json`; the names are part of what a later core has to understand. */
export const RUN = {
  input: 'in.fifo',
  console: 'console.log',
  pid: 'pid',
  exit: 'exit',
  /** Made before the start, so that a core that did not start the service has something quiet to watch. */
  unfinishedExit: 'exit.tmp',
  online: 'online',
  /** The life whose end was asked for, or whose console was kept with it: a core that comes later has nothing to keep. */
  settled: 'settled',
  meta: 'meta.json'
} as const

const CLAIM = 'claim.'

/** Made by the shim when it begins, or by a core that wants to be sure that it never will: one of them succeeds. */
export function claimOf (token: string): string {
  return `${CLAIM}${token}`
}

export function isClaim (name: string): boolean {
  return name.startsWith(CLAIM)
}

/*
 * - Once it is in the cgroup of its life, whatever it starts is there as well. Where that fails the service goes without.
 * - `set -C` makes the claim the first and only one; a shim whose start was given up ends without a trace. One so late
 *   that its claim has been cleared away finds another token in `meta.json`, which was written before that.
 * - `<>` never blocks and never sees the end of the input when a writer goes away.
 * - A shell gives a background command /dev/null as stdin unless told otherwise, hence `<&3`.
 * - What has ended at once has no `stat` any more, which is nothing for its console.
 * - `exec` looks for programs only: a platform's command is never one of the shell's own.
 * - `command -p` finds the shell's own tools whatever PATH a platform sets.
 * - `pid` and `exit` appear by rename, so nobody reads half of one.
 * - Signals to the group must not end the shim before it has seen how the service ended. A trap, unlike an ignored
 *   signal, is not passed on; a wait that it cut short is begun again (and answers 127 when there was nothing left).
 */
export const SHIM = `
token=$1 files=$2 cgroup=$3; shift 3
set -C
: >"claim.$token" || exit 125
set +C
mine=
while read -r line; do case $line in *"$token"*) mine=1;; esac; done <meta.json
[ "$mine" ] || exit 125
[ -z "$cgroup" ] || echo 0 >"$cgroup/cgroup.procs"
umask 077
command -p mkfifo in.fifo || exit 125
exec 3<>in.fifo >>console.log 2>&1
umask 022
started () { read -r line <"/proc/$1/stat"; set -- \${line##*) }; start=\${20}; } 2>/dev/null
trap 'again=1' HUP INT TERM
(cd "$files" && exec "$@") <&3 3<&- &
child=$!
started $$; own=$start
started $child
echo "$child $start $$ $own" >pid.tmp && command -p mv -f pid.tmp pid
again=; wait $child; code=$?
while [ "$again" ]; do
  again=; wait $child; next=$?
  [ $next = 127 ] || code=$next
done
echo $code >exit.tmp && command -p mv -f exit.tmp exit
`

export interface Launch {
  readonly run: string
  readonly files: string
  readonly token: string
  /** The directory of its cgroup, if it has one. */
  readonly cgroup: string | undefined
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Starts a service behind its shim, in a session and process group of its own, with nothing of ours open. */
export function spawnShim ({ run, files, token, cgroup = '', command, args, env }: Launch): ChildProcess {
  const child = spawn('/bin/sh', ['-c', SHIM, 'service', token, files, cgroup, command, ...args], {
    cwd: run,
    env,
    detached: true,
    stdio: 'ignore'
  })
  child.unref()
  return child
}
