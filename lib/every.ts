/** Repeats a task until told to stop, one run at a time, without keeping the process alive. */

export function every (ms: number, task: () => Promise<void>, signal: AbortSignal, onError: (error: unknown) => void): void {
  let running = false
  const timer = setInterval(() => {
    if (running) return
    running = true
    task().catch(onError).finally(() => { running = false })
  }, ms)
  timer.unref()
  signal.addEventListener('abort', () => { clearInterval(timer) }, { once: true })
}
