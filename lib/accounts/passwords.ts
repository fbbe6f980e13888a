/** What a password may be, and its bcrypt hash. */
import { randomBytes } from 'node:crypto'
import type { PasswordPool } from '../access/password-pool.js'
import { PasswordTooLong, invalid, passwordTooShort } from '../errors.js'
import type { Settings } from '../options.js'

/** bcrypt reads no further (bytes of UTF-8). */
const longest = 72

export interface Passwords {
  /** Hashes a new password after checking its length. `party` is the address that asks. */
  hash (password: string, party: string): Promise<string>
  /**
   * Compares with a stored hash. Without one, or for a password that nobody can have, the same work is done against
   * a hash that nothing matches. `proceed` may give the work up when its turn comes.
   */
  matches (password: string, hash: string | undefined, party: string, proceed?: () => void): Promise<boolean>
  /** A password of 144 random bits. */
  generate (): string
}

export function passwords (pool: PasswordPool, { minPasswordLength, passwordCost }: Settings): Passwords {
  let nobodys: Promise<string> | undefined
  const hash = (password: string, party: string): Promise<string> =>
    pool.run({ password, cost: passwordCost }, party) as Promise<string>

  /** Made once, of a password that is then forgotten, at the same cost as everybody's. */
  function nobodysHash (): Promise<string> {
    nobodys ??= hash(generate(), '').catch((error: unknown) => {
      nobodys = undefined
      throw error
    })
    return nobodys
  }

  return {
    generate,
    hash: async (password, party) => {
      check(password, minPasswordLength)
      return await hash(password, party)
    },
    matches: async (password, stored, party, proceed) => {
      const possible = stored !== undefined && isPossible(password)
      const job = {
        password: possible ? password : generate(),
        cost: passwordCost,
        hash: possible ? stored : stored ?? await nobodysHash()
      }
      const result = await pool.run(job, party, proceed)
      return possible && result === true
    }
  }
}

function generate (): string {
  return randomBytes(18).toString('base64url')
}

function isPossible (password: string): boolean {
  return Buffer.byteLength(password) <= longest && !password.includes('\0')
}

function check (password: string, shortest: number): void {
  if (password.includes('\0') || !password.isWellFormed()) throw invalid('Password')
  if ([...password].length < shortest) throw passwordTooShort(shortest)
  if (!isPossible(password)) throw PasswordTooLong
}
