/** What a platform downloads: the field `downloads` of its file, and how it is read. */
import { normalize } from 'node:path'
import { staysInside } from './inside.js'

/** The sums that a file can be told by, and how many hexadecimal digits each has. */
const digits = { sha256: 64, sha1: 40, md5: 32 } as const

export type Algorithm = keyof typeof digits

/** One file that services of a platform need, told by its content. */
export interface Download {
  readonly url: string
  readonly algorithm: Algorithm
  /** Hexadecimal, in small letters. */
  readonly sum: string
  /** Bytes. */
  readonly size: number
  /** Its path in the working directory of a service. */
  readonly to: string
}

/** What has to be there for each version. */
export type Downloads = Readonly<Record<string, readonly Download[]>>

/** Told of each field: whether it is right, and what it should be; answers whether it is. */
export type Check = (field: string, right: boolean, problem: string) => boolean

const most = 64
const largest = 64 * 1024 ** 3
const fields = new Set(['url', 'size', 'to', ...Object.keys(digits)])

/** Reads the field. What is wrong is told by `check`; the answer holds where nothing was. */
export function readDownloads (given: unknown, versions: readonly unknown[], texts: Readonly<Record<string, unknown>>, check: Check): Downloads {
  const read: Record<string, readonly Download[]> = {}
  if (!check('downloads', isRecord(given), 'must be an object of lists, by version')) return read
  for (const [version, list] of Object.entries(given as Record<string, unknown>)) {
    const field = `downloads.${version}`
    check(field, versions.includes(version), 'is none of the versions')
    if (!check(field, Array.isArray(list) && list.length <= most, `must be a list of at most ${most}`)) continue
    const items = (list as readonly unknown[]).map((item, index) => readOne(item, `${field}[${index}]`, check))
    const paths = items.flatMap(item => item?.to ?? [])
    for (const [index, path] of paths.entries()) {
      check(`${field}[${index}].to`, paths.indexOf(path) === index, 'is that of another download as well')
      check(`${field}[${index}].to`, !Object.keys(texts).some(text => normalize(text) === path), 'is that of one of the files as well')
    }
    read[version] = items.flatMap(item => item ?? [])
  }
  return read
}

function readOne (given: unknown, field: string, check: Check): Download | undefined {
  if (!check(field, isRecord(given), 'must be an object')) return undefined
  const { url, size, to, ...rest } = given as Record<string, unknown>
  for (const key of Object.keys(given as object)) check(`${field}.${key}`, fields.has(key), 'is unknown')
  const sums = Object.entries(rest).filter(([key]) => key in digits)
  const [algorithm, sum] = (sums[0] ?? ['sha256', undefined]) as [Algorithm, unknown]
  const isRight = [
    check(`${field}.url`, isAddress(url), 'must be an address that begins with http:// or https://, without a user, of at most 2048 characters'),
    check(field, sums.length === 1, 'must have one of sha256, sha1 and md5'),
    sums.length !== 1 || check(`${field}.${algorithm}`, typeof sum === 'string' && sum.length === digits[algorithm] && /^[0-9a-f]+$/i.test(sum), `must be ${digits[algorithm]} hexadecimal digits`),
    check(`${field}.size`, Number.isSafeInteger(size) && (size as number) >= 1 && (size as number) <= largest, 'must be its bytes, 1 to 68719476736'),
    check(`${field}.to`, typeof to === 'string' && staysInside(to), 'must be a path inside the service\'s directory')
  ].every(Boolean)
  return isRight ? { url: url as string, algorithm, sum: (sum as string).toLowerCase(), size: size as number, to: normalize(to as string) } : undefined
}

function isAddress (given: unknown): boolean {
  if (typeof given !== 'string' || given.length > 2048 || !URL.canParse(given)) return false
  const { protocol, username, password } = new URL(given)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
