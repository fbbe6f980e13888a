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
  const own = group.templates.filter(name => !(SYSTEM_TEMPLATES as readonly string[]).includes(name))
  return [...system, ...own].map(name => ({ name, directory: templates.pathOf(name) }))
}
