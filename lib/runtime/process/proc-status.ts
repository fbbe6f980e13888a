/**
 * What can be seen of a process at any moment. Most files of /proc are read under a lock that a process holds while another program
 * takes its place (execve(2)); a file system that answers nothing, a FUSE of its own for instance, keeps it there for as long as it
 * likes, and with it whoever reads. `status` is read without that lock, and so are `cmdline` and `cgroup`.
 */
import { readFileSync } from 'node:fs'

export interface ProcStatus {
  readonly pid: number
  readonly state: string
  readonly threads: number
  readonly parent: number
  /** 0 where the system does not say it. */
  readonly session: number
  /** Real, effective and saved. Not the owner of its files in /proc, which is root where it has itself not looked into. */
  readonly users: readonly number[]
  /** MB held in memory; what processes share is counted for each. */
  readonly memory: number
}

/** The text of `/proc/<pid>/status`; undefined when there is none of that number. Throws when it cannot be said. */
export function readStatusText (pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/status`, 'latin1')
  } catch (error) {
    return goneOr(error)
  }
}

/** Only these two say that there is no such process. */
export function goneOr (error: unknown): undefined {
  if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
}

/** By line: its name comes first, and has no end of a line in it. */
const fields = {
  State: /^State:\t(.*)$/m,
  Threads: /^Threads:\t(.*)$/m,
  PPid: /^PPid:\t(.*)$/m,
  NSsid: /^NSsid:\t(.*)$/m,
  Uid: /^Uid:\t(.*)$/m,
  VmRSS: /^VmRSS:\t(.*)$/m
}

/** Undefined when there is none of that number. Throws when it cannot be said. */
export function readProcStatus (pid: number): ProcStatus | undefined {
  const text = readStatusText(pid)
  if (text === undefined) return undefined
  const field = (name: keyof typeof fields): readonly string[] => fields[name].exec(text)?.[1]?.trim().split(/\s+/) ?? []
  return {
    pid,
    state: field('State')[0] ?? 'X',
    threads: Number(field('Threads')[0] ?? 1),
    parent: Number(field('PPid')[0] ?? 0),
    session: Number(field('NSsid')[0] ?? 0),
    users: field('Uid').slice(0, 3).map(Number),
    memory: Number(field('VmRSS')[0] ?? 0) / 1024
  }
}

/** What it was started with: its name and arguments. Nothing, where that cannot be said. */
export function wordsOf (pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

/** A zombie is dead, and only waits for somebody to take note; but a program goes on whose first thread has ended before the others. */
export const isGone = ({ state, threads }: { readonly state: string, readonly threads: number }): boolean => state === 'X' || (state === 'Z' && threads <= 1)

/** Whether all its users are the core's, as a shim's are. */
export const isCores = ({ users }: ProcStatus): boolean => users.length > 0 && users.every(user => user === process.geteuid?.())
