/** What the host sees of a route; apart from `catalogue.ts`, whose view of Fastify's types is not the host's. */

/** One route of the interface. */
export interface CatalogueEntry {
  readonly method: string
  /** Relative to the prefix, as the specification writes it, for instance `/role/{id}`. */
  readonly path: string
  /** The whole permission, or `public`, `token`, `admin`. */
  readonly access: string
  readonly summary: string
}
