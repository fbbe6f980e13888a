/**
 * The pictures of the overview in `docs/pictures/`, of a cloud that has run for a while with players:
 *
 *     CLOUD_URL=http://127.0.0.1:8080 CLOUD_USER=admin CLOUD_PASSWORD='…' node overview-picture.js
 */
import { fileURLToPath } from 'node:url'
import { launch } from './chromium.js'

const { CLOUD_URL: url = 'http://127.0.0.1:8080', CLOUD_USER: user = 'admin', CLOUD_PASSWORD: password = '' } = process.env

const browser = await launch()
for (const colorScheme of ['light', 'dark']) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, colorScheme, reducedMotion: 'reduce' })
  const tab = await context.newPage()
  await tab.goto(url)
  await tab.getByLabel('Username').fill(user)
  await tab.getByLabel('Password').fill(password)
  await tab.getByRole('button', { name: 'Log in', exact: true }).click()
  await tab.locator('.uplot').nth(1).waitFor()
  await tab.locator('.lines li').first().waitFor()
  await tab.screenshot({ path: fileURLToPath(new URL(`../../docs/pictures/overview-wide-${colorScheme}.png`, import.meta.url)) })
  await context.close()
}
await browser.close()
