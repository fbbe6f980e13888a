/** Random numbers that come again with the same seed, and the values that break things. */

export interface Random {
  /** 0 <= n < below. */
  below (below: number): number
  chance (probability: number): boolean
  pick<T> (from: readonly T[]): T
}

/** mulberry32, by Tommy Ettinger: 32 bits of state are plenty for a test. */
export function random (seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return { below, chance: probability => next() < probability, pick: from => from[below(from.length)] as never }
}

const nested = (depth: number): unknown => {
  let value: unknown = 'deep'
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

export const oddTexts: readonly string[] = [
  '', ' ', '\t\n', 'x', '0', '-0', '-1', '1.5', '1e3', '0x1', ' 1', '01', '+1', 'null', 'undefined', 'true', 'NaN', '[object Object]',
  '*', 'cloud.*', 'cloud.role.edit', 'CLOUD.ROLE.EDIT', 'cloud..role', '.', '..', '../..', '..\\..', '/etc/passwd', 'a/b', 'a%2fb', '%00', 'C:x',
  'a\0b', '\u202Eevil', '\u200b', '\ufeff', '\ud800', '\udfff', 'é', 'e\u0301', 'ａｄｍｉｎ', 'ADMIN', 'İ', 'ß', 'ﷺ', '👩‍👩‍👧‍👦', '\u2028', 'a\rb\nc',
  "' or 1=1 --", '"; drop table cloud_users; --', '$' + '{jndi:ldap://x}', '{{7*7}}', '<script>alert(1)</script>', '$(id)', '`id`', '; id',
  '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', '#FFF', '#12345', '#GGGGGG', 'red', 'list', 'count', 'create',
  'EVERY', 'every_server', 'x'.repeat(64), 'x'.repeat(65), 'x'.repeat(73), 'é'.repeat(36), 'x'.repeat(5_000), '\u{1F600}'.repeat(40)
]

export const oddNumbers: readonly number[] = [
  0, -0, 1, -1, -2, 1.5, -0.01, 100, 100.01, 101, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 2 ** 63, -(2 ** 53), 1e21, 1e308, 5e-324, 0.1 + 0.2
]

/** Something that a field does not expect. */
export function oddValue ({ below, pick, chance }: Random): unknown {
  if (chance(0.4)) return pick(oddTexts)
  if (chance(0.4)) return pick(oddNumbers)
  return pick<() => unknown>([
    () => null, () => true, () => false, () => [], () => ({}), () => ['admin'], () => [null], () => [['x']], () => ({ name: 'x' }),
    () => ({ $ne: null }), () => ({ length: 5 }), () => ({ toString: 'x', valueOf: 1 }), () => nested(20), () => nested(200),
    () => Array.from({ length: below(300) }, (_, at) => `cloud.a${at}`), () => pick(oddTexts).repeat(below(50)),
    () => Object.fromEntries(Array.from({ length: below(200) }, (_, at) => [`k${at}`, at])),
    () => Array.from({ length: below(20) }, () => pick(oddTexts)), () => Array.from({ length: 3 }, () => pick(oddNumbers))
  ])()
}
