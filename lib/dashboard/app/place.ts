/** Where the page stands and where the interface is, as the server has written it into the page. */

const meta = document.querySelector<HTMLMetaElement>('meta[name=cloud]')

export const place = {
  /** The interface, as a whole address. */
  api: new URL(meta?.content ?? 'cloud/api/v3', document.baseURI).href,
  namespace: meta?.dataset['namespace'] ?? 'cloud',
  /** What follows the events for all tabs, as a whole address. */
  worker: new URL(meta?.dataset['worker'] ?? '', document.baseURI).href,
  /** Whether the first admin was still to be made when the page was sent. */
  isFirst: meta?.dataset['first'] === 'true'
}
