/** Where a new group is made. */
import { linkTo } from '../router.js'

/** Stands where a name does: the interface takes no group of that name. */
export const wordOfNew = 'create'

export const newGroup = linkTo('groups', wordOfNew)
