/** Whether there is little room: the same limit as that of the styles. */
import { useEffect, useState } from 'preact/hooks'

const narrow = matchMedia('(max-width: 760px)')
export const isNarrow = (): boolean => narrow.matches

export function useNarrow (): boolean {
  const [is, setIs] = useState(isNarrow)
  useEffect(() => {
    const look = (): void => { setIs(isNarrow()) }
    look()
    narrow.addEventListener('change', look)
    return () => { narrow.removeEventListener('change', look) }
  }, [])
  return is
}
