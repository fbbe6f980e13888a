/** What services are made of: the platforms that they run and the templates that are laid into them. */
import type { Layer } from '../../../../types/engine.js'
import type { ServiceType } from '../../../../types/resources.js'
import type { Platforms } from './platforms.js'
import { SYSTEM_TEMPLATES, type Templates } from './templates.js'

export interface Content {
  readonly platforms: Platforms
  readonly templates: Templates
  /** What secret placeholders stand for. */
  readonly secrets: Readonly<Record<string, string>>
}

/** What is laid into a service, in this order: the system's templates as far as they are there, then the group's own. */
export function layersOf (templates: Templates, group: { readonly templates: readonly string[] }, type: ServiceType, fallback: boolean): Layer[] {
  const system = ['EVERY', `EVERY_${type}`, ...(fallback ? ['EVERY_FALLBACK'] : [])].filter(name => templates.names.includes(name))
  // A group may name them, and changes nothing by that.
  const own = group.templates.filter(name => !(SYSTEM_TEMPLATES as readonly string[]).includes(name)).map(name => presentName(templates, name))
  return [...system, ...own].map(name => ({ name, directory: templates.pathOf(name) }))
}

/** What a template is called now that a group names: while one gets another name, its directory has that before its groups say so. */
export function presentName ({ renaming, has }: Templates, name: string): string {
  if (renaming === undefined || has(name)) return name
  const { name: from, newName: to } = renaming
  return name === from ? to : name === to ? from : name
}
