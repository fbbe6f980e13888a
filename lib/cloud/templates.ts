/** The rules about templates. */
import type { CloudRuntime } from '../../types/runtime.js'
import {
  GroupDamaged, GroupTooLarge, SystemTemplate, TemplateInUse, TemplateMissing, TemplateTaken, UnsupportedTemplates, invalid
} from '../errors.js'
import { checkWord } from './answers.js'
import type { Permit, WithDeadline } from './deadline.js'
import type { Turns } from './turns.js'
import { isName } from '../schemas/names.js'

/** Laid into every service, every service of a type, or every fallback (docs/interface.md, Templates). */
const ofSystem = new Set(['every', 'every_server', 'every_proxy', 'every_fallback'])

/** Each throws what `permit` throws, where whoever asks may not have it done any more. */
export interface Templates {
  create (permit: Permit, name: string): Promise<void>
  rename (permit: Permit, name: string, newName: string): Promise<void>
  delete (permit: Permit, name: string): Promise<void>
}

export function createTemplates ({ templates: source }: CloudRuntime, withDeadline: WithDeadline, turns: Turns): Templates {
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
    create: async (permit, name) => {
      const verbs = control()
      checkNew(name)
      if (!checkWord(await withDeadline.act<unknown>(permit, options => verbs.create(name, options), { name: 'templates.create' }), [true, false])) throw TemplateTaken
    },

    rename: async (permit, name, newName) => {
      const verbs = control()
      checkNew(newName)
      checkOld(name)
      const answer = await turns.alone(async () => await withDeadline.act<unknown>(permit, options => verbs.rename(name, newName, options), { name: 'templates.rename' }))
      switch (checkWord(answer, [true, false, 'taken', 'damaged', 'too-large'])) {
        case false: throw TemplateMissing
        case 'taken': throw TemplateTaken
        case 'damaged': throw GroupDamaged
        case 'too-large': throw GroupTooLarge
      }
    },

    delete: async (permit, name) => {
      const verbs = control()
      checkOld(name)
      const answer = await turns.alone(async () => await withDeadline.act<unknown>(permit, options => verbs.delete(name, options), { name: 'templates.delete' }))
      switch (checkWord(answer, [true, false, 'in-use'])) {
        case false: throw TemplateMissing
        case 'in-use': throw TemplateInUse
      }
    }
  }
}
