/** What a password may be, and its bcrypt hash. */
import { randomBytes } from 'node:crypto'
import type { PasswordPool } from './password-pool.js'
import { PasswordNotNew, PasswordTooLong, invalid, passwordTooShort } from '../errors.js'
import type { Settings } from '../options.js'

/** bcrypt reads no further (bytes of UTF-8). */
const longest = 72
/** bcrypt's form: the cost, a salt of 22 characters, 31 of the hash itself. */
const form = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/
/** Costs that we make, and bear to compare with again and again. */
const dearest = 15

/** A password that was compared with a hash. */
export interface Compared {
  readonly matches: boolean
  /** A hash of the same password at the cost of the settings, where the one that it matches has another. */
  readonly renewed?: string
}

/** Every `party` is a user or a network; parties take turns. */
export interface Passwords {
  /** @throws Failure 400 for a password that nobody can be given */
  check (password: string): void
  /**
   * Hashes a new password after checking it.
   * @throws Failure 400, also where it is the one behind the hash `unlike`
   */
  hash (password: string, party: string, unlike?: string): Promise<string>
  /**
   * Compares with a stored hash. That takes the same work whatever the hash's cost, without a hash, and for a password
   * that nobody can have. `proceed` may give the work up when its turn comes.
   */
  compare (password: string, hash: string | undefined, party: string, proceed?: () => void): Promise<Compared>
  /** Takes a stored hash into account: from now on every comparison takes as much work as one with this. */
  know (hash: string): void
  /** A password of 144 random bits. */
  generate (): string
}

export function createPasswords (pool: PasswordPool, { minPasswordLength, passwordCost }: Settings): Passwords {
  /** The highest cost that anybody's hash has, as far as we know. */
  let work = passwordCost

  /** A hash that nothing matches, as far as anybody knows. */
  const nobodys = `$2b$${String(passwordCost).padStart(2, '0')}$${randomBytes(40).toString('base64').replace(/[+=]/g, '.').slice(0, 53)}`

  function know (hash: string): void {
    work = Math.max(work, Math.min(costOf(hash), dearest))
  }

  function check (password: string): void {
    if (password.includes('\0') || !password.isWellFormed()) throw invalid('Password')
    if ([...password].length < minPasswordLength) throw passwordTooShort(minPasswordLength)
    if (!isPossible(password)) throw PasswordTooLong
  }

  return {
    check,
    know,
    generate,

    hash: async (password, party, unlike) => {
      check(password)
      const isComparable = unlike !== undefined && costOf(unlike) > 0
      const hash = await pool.run({ kind: 'hash', password, cost: passwordCost, ...(isComparable && { unlike }) }, party)
      if (hash === undefined) throw PasswordNotNew
      return hash
    },

    compare: async (password, stored, party, proceed) => {
      const own = stored !== undefined && costOf(stored) > 0 ? stored : undefined
      if (own !== undefined) know(own)
      const isGuess = own !== undefined && isPossible(password)
      const job = { kind: 'compare', password: isGuess ? password : generate(), hash: own ?? nobodys, cost: passwordCost, work } as const
      const compared = await pool.run(job, party, proceed)
      return isGuess ? compared : { matches: false }
    }
  }
}

/** 0 for what is no hash of bcrypt's. */
function costOf (hash: string): number {
  const cost = Number(form.exec(hash)?.[1] ?? 0)
  return cost >= 4 && cost <= 31 ? cost : 0
}

function generate (): string {
  return randomBytes(18).toString('base64url')
}

function isPossible (password: string): boolean {
  return Buffer.byteLength(password) <= longest && !password.includes('\0')
}
