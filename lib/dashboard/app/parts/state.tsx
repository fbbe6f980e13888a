/** The state of a service: a mark and a word, never a colour alone. */
import type { ServiceState } from '../../../../types/resources.js'

const marks: Readonly<Record<ServiceState, readonly [mark: string, word: string]>> = {
  ONLINE: ['●', 'online'], STARTING: ['◔', 'starting'], STOPPING: ['◑', 'stopping'], OFFLINE: ['○', 'offline']
}

export function State ({ state }: { readonly state: ServiceState }) {
  const [mark, word] = marks[state]
  return <span class={`state ${word}`}><span aria-hidden='true'>{mark}</span> {word}</span>
}

export const states = Object.keys(marks) as readonly ServiceState[]
export const wordOf = (state: ServiceState): string => marks[state][1]
