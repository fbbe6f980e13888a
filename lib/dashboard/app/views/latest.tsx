/** What happened last: who did something, and which services ended. */
import type { AuditEntry, Exit, Service } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { mayList } from '../live.js'
import { untoldEveryMs, useAsked, useNow } from '../parts/pending.js'
import { ago, number, plain } from '../parts/text.js'
import { Empty, Section, Waiting } from '../parts/view.js'
import { holds } from '../session.js'
import { linkTo } from '../router.js'
import { reasonOf } from './exit.js'

const shown = 8

export function Latest ({ services }: { readonly services: readonly Service[] }) {
  return (
    <div class='columns'>
      {mayList('services') && <Exits services={services} />}
      {holds('audit.list') && <Acts />}
    </div>
  )
}

function Exits ({ services }: { readonly services: readonly Service[] }) {
  const now = useNow(10_000)
  const ended = services.filter((one): one is Service & { lastExit: Exit } => one.lastExit !== undefined)
    .sort((one, other) => other.lastExit.at - one.lastExit.at).slice(0, shown)
  return (
    <Section title='Ended last'>
      {ended.length === 0
        ? <Empty>No service that is listed has ended yet.</Empty>
        : (
          <ul class='lines'>
            {ended.map(({ name, lastExit }) => (
              <li key={name}><a class='foreign' href={linkTo('services', name)}>{plain(name)}</a> <span>{reasonOf(lastExit)}</span> <span class='soft when'>{ago(lastExit.at, now)}</span></li>
            ))}
          </ul>
          )}
    </Section>
  )
}

/** An id tells people nothing, and their own name is there already. */
const isTelling = ({ target, user }: AuditEntry): boolean => target !== null && target.length < 32 && target !== user?.username

interface Act {
  readonly entry: AuditEntry
  readonly times: number
}

/** What nobody who is known was refused is told once for each kind: strangers try to get in day and night. */
function foldedOf (entries: readonly AuditEntry[]): readonly Act[] {
  const acts = new Map<string, Act>()
  for (const [at, entry] of entries.entries()) {
    const key = entry.user === null && entry.outcome !== 'done' ? entry.action : String(at)
    const { count } = entry.detail
    const known = acts.get(key)
    acts.set(key, { entry: known?.entry ?? entry, times: (known?.times ?? 0) + (typeof count === 'number' ? count : 1) })
  }
  return [...acts.values()].slice(0, shown)
}

/** More are asked for where few are left. */
async function latestActs (): Promise<readonly Act[]> {
  let acts: readonly Act[] = []
  for (const size of [20, 100]) {
    const entries = (await ask(cloud.GET('/audit', { params: { query: { size } } }))).data.entries as readonly AuditEntry[]
    acts = foldedOf(entries)
    if (acts.length === shown || entries.length < size) break
  }
  return acts
}

function Acts () {
  const { value } = useAsked(latestActs, '', untoldEveryMs)
  const now = useNow(10_000)
  return (
    <Section title='Done last' aside={<a href={linkTo('audit')}>Audit</a>}>
      {value === undefined
        ? <Waiting />
        : (
          <ul class='lines'>
            {value.map(({ entry, times }, at) => (
              <li key={`${entry.at}-${at}`}>
                <b class='foreign'>{entry.user === null ? 'nobody logged in' : plain(entry.user.username)}</b> <span>{entry.action}{isTelling(entry) && <> <span class='foreign'>{plain(entry.target ?? '')}</span></>}{entry.outcome !== 'done' && <span class='bad'> {entry.outcome}</span>}{times > 1 && `, ${number(times)} times`}</span>
                <span class='soft when'>{ago(entry.at, now)}</span>
              </li>
            ))}
          </ul>
          )}
    </Section>
  )
}
