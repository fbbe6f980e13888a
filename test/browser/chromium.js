/** The browser of these tests. */
import { accessSync, constants } from 'node:fs'
import { chromium } from 'playwright-core'

const executablePath = process.env.CHROME_PATH || '/usr/bin/chromium'

/** Why there is none, or false. */
export const lacks = isThere(executablePath) ? false : `NO BROWSER HERE: ${executablePath} cannot be run; install Debian's chromium, or set CHROME_PATH`
if (lacks) console.error(`\n*** SKIPPED: ${lacks}\n`)

export const launch = () => chromium.launch({
  executablePath,
  // Chromium's sandbox refuses to run as root.
  args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-dev-shm-usage']
})

function isThere (file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
