/** Lets a console print, as a contender is told to. */

/** Microseconds of a clock that all processes of a machine share. */
const now = () => Number(process.hrtime.bigint() / 1000n)

export function printer (print) {
  let printed = 0
  let timer

  /** `rate` lines a second, due at even moments whatever the event loop does. Each tells its number and when it was printed. */
  function start ({ rate, length }) {
    const from = now()
    const first = printed
    timer = setInterval(() => {
      const due = first + Math.floor((now() - from) * rate / 1e6)
      const lines = []
      while (printed < due) lines.push(`${printed++} ${now()} `.padEnd(length, '.'))
      if (lines.length > 0) print(lines)
    }, 5)
  }

  return question => {
    switch (question.do) {
      case 'print':
        start(question)
        return {}
      case 'stop':
        clearInterval(timer)
        return { printed }
      case 'collect':
        globalThis.gc()
        return { used: process.memoryUsage().heapUsed + process.memoryUsage().external }
    }
  }
}
