/** What happened last: who did something, and which services ended. */
import type { AuditEntry, Exit, Service } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { mayList } from '../live.js'
import { useAsked, useNow } from '../parts/pending.js'
import { ago, plain } from '../parts/text.js'
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

function Acts () {
  const { value } = useAsked(async () => (await ask(cloud.GET('/audit', { params: { query: { size: shown } } }))).data.entries as readonly AuditEntry[], '', 5_000)
  const now = useNow(10_000)
  return (
    <Section title='Done last' aside={<a href={linkTo('audit')}>Audit</a>}>
      {value === undefined
        ? <Waiting />
        : (
          <ul class='lines'>
            {value.map((entry, at) => (
              <li key={`${entry.at}-${at}`}>
                <b class='foreign'>{entry.user === null ? 'nobody logged in' : plain(entry.user.username)}</b> <span>{entry.action}{isTelling(entry) && <> <span class='foreign'>{plain(entry.target ?? '')}</span></>}{entry.outcome !== 'done' && <span class='bad'> {entry.outcome}</span>}</span>
                <span class='soft when'>{ago(entry.at, now)}</span>
              </li>
            ))}
          </ul>
          )}
    </Section>
  )
}
