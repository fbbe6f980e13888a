/** What services use, as far as it is known. */
import type { Service } from '../../../../types/resources.js'

/** No program runs without memory: nobody has measured it yet, or nobody can. */
export const isMeasured = ({ state, memoryUsage }: Pick<Service, 'state' | 'memoryUsage'>): boolean => state !== 'OFFLINE' && memoryUsage > 0

export const Unknown = () => <span class='soft' title='not known'>–<span class='unseen'> (not known)</span></span>
