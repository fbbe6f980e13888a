/** The library as it was built; `BENCH_DIST=<directory>` measures another build. */
import { pathToFileURL } from 'node:url'

const directory = process.env.BENCH_DIST === undefined ? new URL('../../dist/', import.meta.url) : pathToFileURL(`${process.env.BENCH_DIST}/`)

export const built = async path => await import(new URL(path, directory))
