/** What we use of TypeBox. The build makes one file of this and of TypeBox itself, which is 249 files (`lib/bundle.js`). */
import type { TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'

export type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
export { Kind, Type } from '@sinclair/typebox'
export type { ObjectOptions, Static, TObject, TProperties, TSchema } from '@sinclair/typebox'
export type { TypeCheck } from '@sinclair/typebox/compiler'
export { Errors } from '@sinclair/typebox/errors'

/** A schema's check, made when it is first asked for: a host that starts does not wait for those of all routes. */
export function checkOf<T extends TSchema> (schema: T): () => TypeCheck<T> {
  let check: TypeCheck<T> | undefined
  return () => {
    check ??= TypeCompiler.Compile(schema)
    return check
  }
}
