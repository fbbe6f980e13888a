/** What a process in which several files of tests ran one after the other has printed, as if each had been alone. */

/** The name of the test that ends a file. */
export const endOf = file => `end of ${file}`

/** Answers the TAP of each file that has come to its end, by file, and what was printed behind the last of them. */
export function segmentsOf (text, files) {
  const segments = new Map()
  let lines = []
  let count = 0
  const ends = new Map(files.map(file => [endOf(file), file]))
  for (const line of text.split('\n')) {
    const [, result, name = ''] = /^((?:not )?ok) \d+(?: - (.*?))?(?: # time=\S+)?$/.exec(line) ?? []
    const ended = ends.get(name)
    if (result !== undefined && ended !== undefined) {
      // What the test that ends it has printed of itself goes.
      const begin = lines.lastIndexOf(`# Subtest: ${name}`)
      segments.set(ended, ['TAP version 14', ...lines.slice(0, begin === -1 ? undefined : begin), `1..${count}`, ''].join('\n'))
      ;[lines, count] = [[], 0]
    } else if (result !== undefined || /^(?:not )?ok \d+/.test(line)) lines.push(line.replace(/ok \d+/, `ok ${++count}`))
    else if (!/^(?:TAP version 14|1\.\.\d+)/.test(line)) lines.push(line)
  }
  return { segments, rest: lines.join('\n') }
}
