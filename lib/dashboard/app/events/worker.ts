/** Runs beside all tabs of a browser, as long as there is one. */
import { serve } from './hub.js'

addEventListener('connect', event => {
  const [port] = (event as MessageEvent).ports
  if (port !== undefined) serve(port)
})
