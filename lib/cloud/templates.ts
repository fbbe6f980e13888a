/** The rules about templates. */
import type { CloudRuntime } from '../../types/runtime.js'
import {
  GroupDamaged, GroupTooLarge, SystemTemplate, TemplateInUse, TemplateMissing, TemplateTaken, TemplatesFull, UnsupportedTemplates, invalid
} from '../errors.js'
import { checkWord } from './answers.js'
import type { Permit, WithDeadline } from './deadline.js'
import { type Turns, type Waiting, leftOf, waitingFor } from './turns.js'
import { isName } from '../schemas/names.js'

/** Laid into every service, every service of a type, or every fallback (docs/interface.md, Templates). */
const ofSystem = new Set(['every', 'every_server', 'every_proxy', 'every_fallback'])

/** Each throws what `permit` throws, where whoever asks may not have it done any more; 504 where its turn, and what it does then, take longer than the runtime may. */
export interface Templates {
  create (permit: Permit, name: string, who?: Waiting): Promise<void>
  rename (permit: Permit, name: string, newName: string, who?: Waiting): Promise<void>
  delete (permit: Permit, name: string, who?: Waiting): Promise<void>
}

export interface TemplateParts {
  readonly withDeadline: WithDeadline
  readonly runtimeTimeout: number
  /** Whoever names templates shares them; who renames or deletes one is alone. */
  readonly templateTurns: Turns
  /** Of one party some verbs are asked for at a time: the runtime does one after the other, whoever they are from. */
  readonly verbTurns: Turns
}

export function createTemplates ({ templates: source }: CloudRuntime, { withDeadline, runtimeTimeout, templateTurns, verbTurns }: TemplateParts): Templates {
  const waiting = waitingFor(runtimeTimeout)

  function control (): NonNullable<typeof source> {
    if (source === undefined) throw UnsupportedTemplates
    return source
  }

  /** A name that a template may get. */
  function checkNew (name: string): void {
    if (!isName(name)) throw invalid('Template name')
    if (ofSystem.has(name.toLowerCase())) throw SystemTemplate
  }

  /** A name that may be changed; one that no template can have is not looked for. */
  function checkOld (name: string): void {
    if (ofSystem.has(name.toLowerCase())) throw SystemTemplate
    if (!isName(name)) throw TemplateMissing
  }

  return {
    create: async (permit, name, given) => {
      const [verbs, who] = [control(), waiting(given)]
      checkNew(name)
      const made = await verbTurns.together(who, async () =>
        await withDeadline.act<unknown>(permit, options => verbs.create(name, options), { name: 'templates.create', timeout: leftOf(who) }))
      const answer = checkWord(made, [true, false, 'full'])
      if (answer === 'full') throw TemplatesFull
      if (!answer) throw TemplateTaken
    },

    rename: async (permit, name, newName, given) => {
      const [verbs, who] = [control(), waiting(given)]
      checkNew(newName)
      checkOld(name)
      const answer = await templateTurns.alone(who, async () =>
        await withDeadline.act<unknown>(permit, options => verbs.rename(name, newName, options), { name: 'templates.rename', timeout: leftOf(who) }))
      switch (checkWord(answer, [true, false, 'taken', 'damaged', 'too-large'])) {
        case false: throw TemplateMissing
        case 'taken': throw TemplateTaken
        case 'damaged': throw GroupDamaged
        case 'too-large': throw GroupTooLarge
      }
    },

    delete: async (permit, name, given) => {
      const [verbs, who] = [control(), waiting(given)]
      checkOld(name)
      const answer = await templateTurns.alone(who, async () =>
        await withDeadline.act<unknown>(permit, options => verbs.delete(name, options), { name: 'templates.delete', timeout: leftOf(who) }))
      switch (checkWord(answer, [true, false, 'in-use'])) {
        case false: throw TemplateMissing
        case 'in-use': throw TemplateInUse
      }
    }
  }
}
