/** The sum of what `of` says of each. */
export function sum (values, of = value => value) {
  let total = 0
  for (const value of values) total += of(value)
  return total
}
