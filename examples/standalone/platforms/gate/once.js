/** What does something the first time that it is called, and nothing after that. */
export function once (action) {
  let done = false
  return () => {
    if (done) return
    done = true
    action()
  }
}
