/** Medians, percentiles and the one way in which a figure is held against its goal. */

export function median (values) {
  return percentile(values, 50)
}

export function percentile (values, p) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p / 100))]
}

/** A figure of a row. It fails when it misses its goal by more than a tenth; a p99 by more than double. */
export function figure (name, values, { atLeast, atMost, unit = '×', isP99 = false }) {
  const value = median(values)
  const allowance = isP99 ? 2 : 1.1
  const goal = atLeast ?? atMost
  const isFailed = atLeast !== undefined ? value < atLeast / allowance : value > atMost * allowance
  const isMet = atLeast !== undefined ? value >= atLeast : value <= atMost
  return {
    name,
    unit,
    value,
    min: Math.min(...values),
    max: Math.max(...values),
    goal: `${atLeast !== undefined ? '≥' : '≤'} ${goal}${unit}`,
    verdict: isFailed ? 'MISSED' : isMet ? 'met' : 'within the allowance'
  }
}

/** Something that either holds or does not. */
export function fact (name, holds, told) {
  return { name, told, goal: 'yes', verdict: holds ? 'met' : 'MISSED' }
}

export function show ({ name, value, min, max, unit, told, goal, verdict }) {
  const digits = number => number >= 100 ? number.toFixed(0) : number >= 10 ? number.toFixed(1) : number.toFixed(2)
  const shown = told ?? `${digits(value)}${unit} (${digits(min)}–${digits(max)})`
  return `  ${name.padEnd(66)} ${shown.padEnd(26)} ${goal.padEnd(10)} ${verdict}`
}
