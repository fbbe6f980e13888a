/** Reads a stream of JSON values, one a line, as engines tell what they are busy with. */

/** A line that is no JSON is left out. */
export async function * jsonLines<T> (stream: AsyncIterable<unknown>): AsyncGenerator<T, void, void> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece as Uint8Array, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield * lines.flatMap(line => read<T>(line))
  }
  yield * read<T>(rest)
}

function read<T> (line: string): T[] {
  try {
    return line.trim() === '' ? [] : [JSON.parse(line) as T]
  } catch {
    return []
  }
}
