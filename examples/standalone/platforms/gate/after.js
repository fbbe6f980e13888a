/**
 * Calls back after so many milliseconds, and when what has come by then was read: in a process that was stopped for longer, or a machine
 * that slept, the time is over before that.
 *
 * @param {number} ms
 * @param {() => void} action
 * @returns {() => void} takes it back
 */
export function after (ms, action) {
  let immediate
  const timer = setTimeout(() => { immediate = setImmediate(action) }, ms)
  return () => {
    clearTimeout(timer)
    clearImmediate(immediate)
  }
}
