/** The page itself: all that it holds is where its parts and the interface are. */
import { icon, licences, needed, script, style, worker } from './assets.js'

export interface Place {
  /** Where the interface is, seen from the page. */
  readonly api: string
  readonly namespace: string
  /** Whether the first admin is still to be made. */
  readonly isFirst: boolean
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

export const pageOf = ({ api, namespace, isFirst }: Place): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="cloud" content="${escaped(api)}" data-namespace="${escaped(namespace)}" data-first="${String(isFirst)}" data-worker="assets/${worker}">
<title>Cloud</title>
<link rel="icon" href="assets/${icon}">
<link rel="stylesheet" href="assets/${style}">
<link rel="license" href="assets/${licences}">
<script type="module" src="assets/${script}"></script>
${needed.map(name => `<link rel="modulepreload" href="assets/${name}">`).join('\n')}
<body>
<noscript>This page needs JavaScript.</noscript>
</body>
</html>
`

/** Nothing of another origin, nothing inline, in nobody's frame; scripts can make no markup of text, and run one worker, whose address the page's policy has. */
export function contentPolicy (api: string): string {
  const foreign = api.startsWith('/') ? '' : ` ${new URL(api).origin} ${new URL(api).origin.replace(/^http/, 'ws')}`
  return [
    "default-src 'self'", `connect-src 'self'${foreign}`, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "object-src 'none'",
    "require-trusted-types-for 'script'", 'trusted-types fastify-cloud'
  ].join('; ')
}
