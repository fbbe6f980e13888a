/** What the tests of the storages share with the suite that both pass. */
export { asks, operator, role, session, user, withRole, withSession, withUser } from '../../lib/conformance/storage/rows.js'
export { changesDuring } from '../../lib/conformance/storage/subscribe.js'
export { many } from '../../lib/conformance/suite.js'
