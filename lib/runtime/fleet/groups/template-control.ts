/** The verbs on templates, which groups have a say in: a rename carries over to them, and what they use stays. */
import type { Awaitable } from '../../../../types/engine.js'
import type { Group } from '../../../../types/resources.js'
import type { Templates as TemplateVerbs } from '../../../../types/runtime.js'
import type { TemplateFiles, TemplatePut } from '../../../../types/template-files.js'
import type { TemplateStore } from '../content/template-store.js'
import { presentName } from '../content/content.js'
import { RENAMING, SYSTEM_TEMPLATES, type Rename, type Templates } from '../content/templates.js'
import { textOf } from '../faults.js'
import { checkedName, folded } from '../names.js'
import type { Log } from '../options.js'
import { createQueue, type Queue } from '../queue.js'
import { promised, run, wait, type Task } from '../task.js'
import type { GroupEntry } from './group-entry.js'
import type { Groups } from './groups.js'

export interface TemplateControl extends TemplateVerbs {
  /** Takes back a rename that a crash cut short, or says why that cannot be: nobody was told that it is done. */
  recover (): Task<void>
  /** Answers when nothing is being changed any more. */
  settled (): Awaitable<void>
}

/** Once `closing` aborts nothing is changed but what is under way: the directory may be another core's then. */
export function createTemplateControl (templates: Templates, groups: Groups, closing: AbortSignal, log: Log): TemplateControl {
  // Verbs come one after the other: what one has checked, another cannot change before it acts.
  const queue = createQueueUntil(closing)
  /** The template that has that name, or will have, or had until a rename that cannot be taken back yet. */
  const find = (name: string): string | undefined =>
    [...templates.names, ...templates.renaming === undefined ? [] : [templates.renaming.name, templates.renaming.newName]].find(known => folded(known) === folded(name))

  /** As of now, when what an earlier rename has left is taken back, if that can be. */
  function * refresh (): Task<void> {
    yield * wait(templates.refresh())
    if (templates.renaming === undefined) return
    try {
      yield * takeBack(templates.renaming)
    } catch (error) {
      tellLeft(error)
    }
  }

  function tellLeft (error: unknown): void {
    const which = templates.renaming === undefined ? 'A rename of a template' : `The rename of template ${templates.renaming.name} to ${templates.renaming.newName}`
    log({ level: 'error', message: `${which} was not finished and cannot be taken back yet: ${textOf(error)}; it is tried again with the next change to templates and at the next start, as long as templates/${RENAMING} is there`, error })
  }

  function * renameIn ({ entry, name, newName }: { readonly entry: GroupEntry, readonly name: string, readonly newName: string }): Task<void> {
    const renamed = (group: Group): Group => ({ ...group, templates: group.templates.map(one => one === name ? newName : one) })
    const changed = yield * wait(entry.queue.add(function * () {
      // What was deleted meanwhile is not written again.
      return entry.gone ? undefined : yield * groups.change(entry, renamed, { edited: false })
    }))
    if (changed === 'too-large' || changed === 'damaged') throw new Refused(changed)
  }

  const users = (name: string) => groups.entries.filter(({ group }) => group.templates.includes(name))

  /** Of a rename that was not answered: all as before it, as far as that can be; fails where that is not all of it, and stays noted then. */
  function * takeBack ({ name, newName }: Rename): Task<void> {
    yield * wait(templates.refresh())
    const [isOld, isNew] = [name, newName].map(one => templates.names.includes(one))
    if (isNew && !isOld) yield * wait(templates.rename(newName, name))
    let failure: unknown
    // Where there are both by now, each group has the one that it names.
    for (const entry of isOld && isNew ? [] : users(newName)) {
      try {
        yield * renameIn({ entry, name: newName, newName: name })
      } catch (error) {
        failure ??= error
      }
    }
    if (failure !== undefined) throw failure
    yield * wait(templates.note(undefined))
    delete templates.renaming
  }

  function * rename (name: string, newName: string): Task<boolean | 'taken' | Refusal> {
    yield * refresh()
    if (isSystem(name) || !templates.names.includes(name)) return false
    if (isSystem(newName)) return 'taken'
    const taken = find(newName)
    if (taken !== undefined && taken !== name) return 'taken'
    if (name === newName) return true
    if (templates.renaming !== undefined) throw new Error(`The rename of template ${templates.renaming.name} has failed and cannot be taken back yet`)
    // Directory and groups change one after the other; the note lets the next start take back what a crash cut short.
    yield * wait(templates.note({ name, newName }))
    // Until its groups are changed, what starts finds it under either name.
    templates.renaming = { name, newName }
    try {
      yield * wait(templates.rename(name, newName))
      for (const entry of users(name)) yield * renameIn({ entry, name, newName })
      yield * wait(templates.note(undefined))
    } catch (error) {
      try {
        yield * takeBack({ name, newName })
      } catch (left) {
        tellLeft(left)
        throw error
      }
      if (error instanceof Refused) return error.why
      throw error
    }
    delete templates.renaming
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
        yield * refresh()
        if (find(name) !== undefined) return false
        return (yield * wait(templates.make(name))) ?? true
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
        yield * refresh()
        if (isSystem(name) || !templates.names.includes(name)) return false
        if (groups.entries.some(({ group }) => group.templates.some(one => one === name || presentName(templates, one) === name))) return 'in-use' as const
        yield * wait(templates.remove(name))
        return true
      }))
    },
    * recover () {
      try {
        templates.renaming = yield * wait(templates.noted())
        if (templates.renaming !== undefined) yield * takeBack(templates.renaming)
      } catch (error) {
        // What stands in the way of that keeps nothing else from its start.
        tellLeft(error)
      }
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
