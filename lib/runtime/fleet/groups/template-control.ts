/** The verbs on templates, which groups have a say in: a rename carries over to them, and what they use stays. */
import type { Awaitable } from '../../../../types/engine.js'
import type { Group } from '../../../../types/resources.js'
import type { Templates as TemplateVerbs } from '../../../../types/runtime.js'
import type { TemplateFiles, TemplatePut } from '../../../../types/template-files.js'
import type { TemplateStore } from '../content/template-store.js'
import { SYSTEM_TEMPLATES, type Templates } from '../content/templates.js'
import { checkedName, folded } from '../names.js'
import { createQueue, type Queue } from '../queue.js'
import { promised, run, wait, type Task } from '../task.js'
import type { Groups } from './groups.js'

export interface TemplateControl extends TemplateVerbs {
  /** Finishes a rename that a crash cut short. */
  recover (): Task<void>
  /** Answers when nothing is being changed any more. */
  settled (): Awaitable<void>
}

/** Once `closing` aborts nothing is changed but what is under way: the directory may be another core's then. */
export function createTemplateControl (templates: Templates, groups: Groups, closing: AbortSignal): TemplateControl {
  // Verbs come one after the other: what one has checked, another cannot change before it acts.
  const queue = createQueueUntil(closing)
  const find = (name: string): string | undefined => templates.names.find(known => folded(known) === folded(name))

  function * renameInGroups (name: string, newName: string): Task<void> {
    const renamed = (group: Group): Group => ({ ...group, templates: group.templates.map(one => one === name ? newName : one) })
    for (const entry of groups.entries.filter(({ group }) => group.templates.includes(name))) {
      const changed = yield * wait(entry.queue.add(function * () {
        // What was deleted meanwhile is not written again.
        return entry.gone ? undefined : yield * groups.change(entry, renamed, { edited: false })
      }))
      if (changed === 'too-large' || changed === 'damaged') throw new Refused(changed)
    }
  }

  function * rename (name: string, newName: string): Task<boolean | 'taken' | Refusal> {
    yield * wait(templates.refresh())
    if (isSystem(name) || !templates.names.includes(name)) return false
    if (isSystem(newName)) return 'taken'
    const taken = find(newName)
    if (taken !== undefined && taken !== name) return 'taken'
    if (name === newName) return true
    // Directory and groups change one after the other; the note lets the next start finish what a crash cut short.
    yield * wait(templates.note({ name, newName }))
    // Until its groups are changed, what starts finds it under either name.
    templates.renaming = { name, newName }
    try {
      return yield * carryOut(name, newName)
    } finally {
      delete templates.renaming
    }
  }

  function * carryOut (name: string, newName: string): Task<boolean | Refusal> {
    try {
      if (!templates.names.includes(newName)) yield * wait(templates.rename(name, newName))
      yield * renameInGroups(name, newName)
    } catch (error) {
      try {
        yield * wait(templates.rename(newName, name))
      } catch {
        // It did not get that far.
      }
      yield * renameInGroups(newName, name)
      if (!(error instanceof Refused)) throw error
      yield * wait(templates.note(undefined))
      return error.why
    }
    yield * wait(templates.note(undefined))
    return true
  }

  return {
    ...(templates.files === undefined ? {} : { files: createTemplateFiles(templates, templates.files, queue) }),
    get revision () { return templates.revision },
    list: () => promised(run(function * () {
      yield * wait(templates.refresh())
      // Nobody measures templates: walking all files for a list would cost more than it tells.
      return templates.names.map(name => ({ name, size: 'unknown' }))
    }())),
    create: (name, options) => {
      checkedName(name)
      return promised(queue.add(function * () {
        options.signal.throwIfAborted()
        yield * wait(templates.refresh())
        if (find(name) !== undefined) return false
        yield * wait(templates.make(name))
        return true
      }))
    },
    rename: (name, newName, options) => {
      for (const one of [name, newName]) checkedName(one)
      return promised(queue.add(() => {
        options.signal.throwIfAborted()
        return rename(name, newName)
      }))
    },
    delete: (name, options) => {
      checkedName(name)
      return promised(queue.add(function * () {
        options.signal.throwIfAborted()
        yield * wait(templates.refresh())
        if (isSystem(name) || !templates.names.includes(name)) return false
        if (groups.entries.some(({ group }) => group.templates.includes(name))) return 'in-use' as const
        yield * wait(templates.remove(name))
        return true
      }))
    },
    * recover () {
      const noted = yield * wait(templates.noted())
      if (noted === undefined) return
      const { name, newName } = noted
      if (templates.names.includes(name) || templates.names.includes(newName)) yield * carryOut(name, newName)
      else yield * wait(templates.note(undefined))
    },
    settled: () => queue.drained()
  }
}

/** What somebody is writing into a group's file is not written over; what would not be read again is not written. */
type Refusal = 'damaged' | 'too-large'

class Refused extends Error {
  readonly why: Refusal

  constructor (why: Refusal) {
    super(`A group's file is ${why}`)
    this.why = why
  }
}

/** A queue that begins nothing any more once that is aborted. */
function createQueueUntil (closing: AbortSignal): Queue {
  const queue = createQueue()
  return {
    ...queue,
    add: task => queue.add(() => {
      if (closing.aborted) throw new Error('The cloud is closed')
      return task()
    })
  }
}

/**
 * What is sent waits for nobody, and nobody for it. What it changes has its turn: that which takes long among the changes of the same template, and
 * the last step of each among all verbs. Nobody who was told that it failed has it done afterwards.
 */
function createTemplateFiles (templates: Templates, store: TemplateStore, queue: Queue): TemplateFiles {
  const turns = createTurns()

  function * ifThere<T> (name: string, task: () => Task<T>): Task<T | false> {
    yield * wait(templates.refresh())
    return templates.names.includes(name) && (yield * task())
  }

  const whole = <T>(name: string, answer: () => T | undefined) => promised(run(ifThere(name, function * () { return answer() ?? false as const })))

  return {
    list: name => whole(name, () => store.list(name)),
    readAll: name => whole(name, () => store.readAll(name)),
    read: (name, path) => promised(run(ifThere(name, function * () {
      return (yield * wait(store.read(name, path))) ?? 'no-file' as const
    }))),
    delete: (name, path, { signal }) => promised(turns(name, () => wait(queue.add(() => ifThere(name, function * () {
      signal.throwIfAborted()
      return (yield * wait(store.remove(name, path))) || 'no-file' as const
    }))))),
    put: (name, files, { replace, signal, permit, progress }) => promised(run(ifThere(name, function * (): Task<TemplatePut> {
      const upload = yield * wait(store.stage(name, files, signal))
      if (upload === 'full' || 'refused' in upload) return upload
      const allowed = async (): Promise<void> => {
        await permit?.()
        signal.throwIfAborted()
      }
      const step = (): void => {
        signal.throwIfAborted()
        progress?.()
      }
      try {
        return yield * wait(turns(name, function * (): Task<TemplatePut> {
          step()
          const refusal = yield * wait(upload.prepare(replace, step))
          if (refusal !== undefined) return refusal
          const done = yield * wait(queue.add(() => ifThere(name, () => wait(upload.commit(allowed)))))
          if (typeof done === 'object' && !('refused' in done)) yield * wait(upload.keep())
          return done
        }))
      } finally {
        upload.clear()
      }
    })))
  }
}

/** A queue for each name, as long as somebody is in it. */
function createTurns (): <T>(name: string, task: () => Task<T>) => Awaitable<T> {
  const queues = new Map<string, { readonly queue: Queue, waiting: number }>()
  return (name, task) => {
    const entry = queues.get(name) ?? { queue: createQueue(), waiting: 0 }
    queues.set(name, entry)
    entry.waiting++
    return entry.queue.add(function * () {
      try {
        return yield * task()
      } finally {
        if (--entry.waiting === 0) queues.delete(name)
      }
    })
  }
}

function isSystem (name: string): boolean {
  return SYSTEM_TEMPLATES.some(system => folded(system) === folded(name))
}
