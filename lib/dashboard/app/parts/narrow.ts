/** Whether there is little room. */
import { useEffect, useState } from 'preact/hooks'

/** The same limit as that of the styles. */
const narrow = matchMedia('(max-width: 760px)')
/** Beside the menu there is less for tables than for anything else: all of their columns need more than that. */
const tight = matchMedia('(max-width: 1080px)')
export const isNarrow = (): boolean => narrow.matches

/** Whether tables show what can be missed in a line below its row. */
export function useNarrow (): boolean {
  const [is, setIs] = useState(tight.matches)
  useEffect(() => {
    const look = (): void => { setIs(tight.matches) }
    look()
    tight.addEventListener('change', look)
    return () => { tight.removeEventListener('change', look) }
  }, [])
  return is
}
