/** The envelope `{ status, message?, data? }` around most answers: its schemas, and the functions that fill it. */
import { type TSchema, Type } from '../typebox.js'

/** An answer that carries data. */
export const Envelope = <T extends TSchema>(data: T) => Type.Object({
  status: Type.Integer(),
  message: Type.Optional(Type.String()),
  data
})

/** An answer that carries a message only. */
export const Message = Type.Object({ status: Type.Integer(), message: Type.String() })

/** An answer of something that was refused or has failed. */
export const Refusal = Type.Object({ status: Type.Integer(), message: Type.String(), code: Type.String() })

/** The same, of one status. */
export interface FailureBody<S extends number> { readonly status: S, readonly message: string, readonly code: string }

/** An answer without a body (RFC 9110 §15.3.5). */
export const NoContent = Type.Object({ status: Type.Literal(204) })

/** An answer without a body: what the client has is still right (RFC 9110 §15.4.5). */
export const NotModified = Type.Null()

/** 204. */
export const noContent = { status: 204 } as const

/** 200 with data, and a message where the specification has one. */
export const ok = <T>(data: T, message?: string) => answer(200, data, message)

/** 201 with data, and a message where the specification has one. */
export const created = <T>(data: T, message?: string) => answer(201, data, message)

const answer = <S extends number, T>(status: S, data: T, message: string | undefined) =>
  message === undefined ? { status, data } : { status, message, data }

/** Any status with a message alone. */
export const message = <S extends number>(status: S, message: string) => ({ status, message })
