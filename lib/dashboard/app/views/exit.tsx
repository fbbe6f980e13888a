/** How a life of a service ended, in words. */
import type { Exit } from '../../../../types/resources.js'

const words: Readonly<Record<Exit['reason'], string>> = {
  stopped: 'stopped', crashed: 'crashed', killed: 'killed', timeout: 'did not become ready', unresponsive: 'did not answer any more', unknown: 'ended unseen'
}

export function reasonOf ({ reason, code, signal }: Exit) {
  const how = signal ?? (code === null || (code === 0 && reason === 'stopped') ? undefined : `code ${code}`)
  return <span class={reason === 'stopped' ? '' : 'bad'}>{words[reason]}{how !== undefined && ` (${how})`}</span>
}
