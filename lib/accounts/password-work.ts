/** What a password thread does: bcrypt, and as much of it as was asked for. */
import bcrypt from 'bcryptjs'

/** A hash to make; none is made of the password behind `unlike`. */
export interface HashJob {
  readonly kind: 'hash'
  readonly password: string
  readonly cost: number
  readonly unlike?: string
}

/** A comparison with a hash, as dear as one of cost `work`; where it is right and the hash has another cost, one of `cost` is made. */
export interface CompareJob {
  readonly kind: 'compare'
  readonly password: string
  readonly hash: string
  readonly cost: number
  readonly work: number
}

export type PasswordJob = HashJob | CompareJob

export type PasswordResult<J extends PasswordJob> = J extends HashJob
  /** The hash; undefined for the password that it must not be. */
  ? string | undefined
  : { readonly matches: boolean, readonly renewed?: string }

function makeHash ({ password, cost, unlike }: HashJob): PasswordResult<HashJob> {
  if (unlike !== undefined && bcrypt.compareSync(password, unlike)) return undefined
  return bcrypt.hashSync(password, cost)
}

function compare ({ password, hash, cost, work }: CompareJob): PasswordResult<CompareJob> {
  const matches = bcrypt.compareSync(password, hash)
  const own = bcrypt.getRounds(hash)
  // Each cost is twice the work of the one before: the hash's own once more and all between come to what is missing.
  for (let step = own; step < work; step++) bcrypt.hashSync(password, `$2b$${String(step).padStart(2, '0')}$${'.'.repeat(22)}`)
  return matches && own !== cost ? { matches, renewed: bcrypt.hashSync(password, cost) } : { matches }
}

export function doJob (job: PasswordJob): PasswordResult<PasswordJob> {
  return job.kind === 'hash' ? makeHash(job) : compare(job)
}
