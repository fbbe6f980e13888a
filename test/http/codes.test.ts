/** The codes by which machines tell one refusal from another (docs/interface.md, Errors). They are part of the interface: none changes. */
import t from 'tap'
import * as errors from '../../lib/errors.js'
import { build } from '../fixtures/cloud.js'
import { machine, makeKeyOf } from '../fixtures/keys.js'
import { refusal } from '../fixtures/refusal.js'

/** Every refusal: its code, its status and its message. */
const table: ReadonlyArray<readonly [code: string, status: number, message: string]> = [
  ['admin_role_fixed', 403, 'The admin role cannot be changed'],
  ['body_too_large', 413, 'Body is too large'],
  ['cannot_assign_admin', 403, 'You cannot assign the admin role'],
  ['cannot_assign_everything', 403, 'You cannot assign * permission'],
  ['cannot_assign_unheld', 403, 'You cannot assign a permission you do not hold'],
  ['current_password_wrong', 403, 'Current password is wrong'],
  ['default_role', 404, 'Default roles cannot be deleted'],
  ['forbidden', 403, 'Forbidden'],
  ['forbidden_origin', 403, 'Forbidden origin'],
  ['group_damaged', 409, 'Group was changed by hand and has to be mended there first'],
  ['group_not_found', 404, 'Group not found'],
  ['group_platform_name_fixed', 400, 'Group platform.name cannot be changed'],
  ['group_taken', 409, 'Group already exists'],
  ['group_too_large', 400, 'Group properties and templates are too many to be kept'],
  ['handshake_invalid', 400, 'Invalid handshake'],
  ['internal_server_error', 500, 'Internal Server Error'],
  ['invalid_body', 400, 'Invalid body'],
  ['invalid_credentials', 401, 'Invalid credentials'],
  ['invalid_key', 401, 'Invalid or expired key'],
  ['invalid_token', 401, 'Invalid or expired token'],
  ['key_not_accepted', 403, 'Forbidden'],
  ['key_not_found', 404, 'Key not found'],
  ['last_admin', 403, 'The last admin cannot be removed'],
  ['missing_token', 401, 'Missing token'],
  ['missing_token', 401, 'No token found'],
  ['not_found', 404, 'Not Found'],
  ['not_ready', 503, 'Not ready'],
  ['pagination_invalid', 400, 'Invalid pagination parameters'],
  ['password_change_required', 403, 'Password change required'],
  ['password_change_under_way', 429, 'Password is being changed already'],
  ['password_not_new', 400, 'Password must be a new one'],
  ['password_too_long', 400, 'Password is too long'],
  ['platform_not_found', 404, 'There is no platform'],
  ['platform_not_found', 404, 'Platform not found'],
  ['platform_version_not_found', 404, 'Platform version not found'],
  ['player_name_required', 400, 'Player name cannot be null or empty'],
  ['player_not_found', 404, 'Player not found'],
  ['range_invalid', 400, 'Invalid range'],
  ['role_deletion_failed', 500, 'Failed to delete role'],
  ['role_held', 404, 'Role is held by users and cannot be deleted'],
  ['role_id_invalid', 400, 'Invalid role ID'],
  ['role_not_found', 404, 'Role not found'],
  ['role_taken', 400, 'Role already exists'],
  ['role_too_large', 400, 'Role permissions are too many to fit into a token'],
  ['runtime_answer_invalid', 502, 'Runtime gave an invalid answer'],
  ['runtime_timeout', 504, 'Runtime did not answer in time'],
  ['service_not_found', 404, 'Service not found'],
  ['service_not_reading', 503, 'Service is not reading commands'],
  ['service_not_running', 409, 'Service is not running'],
  ['service_unavailable', 503, 'Service Unavailable'],
  ['storage_unavailable', 503, 'Storage is not available'],
  ['system_template', 400, 'System templates cannot be created, renamed or deleted'],
  ['template_archive_invalid', 400, 'Template archive is no whole tar.gz'],
  ['template_file_not_found', 404, 'File not found'],
  ['template_file_too_large', 413, 'Template file is too large'],
  ['template_in_use', 400, 'Template is in use'],
  ['template_not_found', 400, 'Template could not be found'],
  ['template_not_found', 404, 'Template not found'],
  ['template_taken', 400, 'Template already exists'],
  ['templates_full', 507, 'Not enough space for templates'],
  ['token_not_found', 404, 'Token not found'],
  ['too_many_changes', 429, 'Too many changes'],
  ['too_many_downloads', 429, 'Too many downloads'],
  ['too_many_failed_keys', 429, 'Too many failed keys'],
  ['too_many_failed_logins', 429, 'Too many failed logins'],
  ['too_many_keys', 409, 'Too many keys'],
  ['too_many_passwords', 503, 'Too many passwords are being checked'],
  ['too_many_sockets', 429, 'Too many sockets'],
  ['too_many_sockets_of_user', 429, 'Too many sockets'],
  ['too_many_uploads', 429, 'Too many uploads'],
  ['unknown_command', 400, 'Unknown command. Usage: help'],
  ['unknown_topic', 400, 'Unknown topic'],
  ['unsupported_group_control', 501, 'Unsupported group runtime'],
  ['unsupported_media_type', 415, 'Unsupported Media Type'],
  ['unsupported_metrics', 501, 'Unsupported metrics'],
  ['unsupported_service_control', 501, 'Unsupported service runtime'],
  ['unsupported_templates', 500, 'Unsupported template runtime'],
  ['upgrade_required', 426, 'Upgrade Required'],
  ['upload_stalled', 408, 'Upload stalled'],
  ['user_exists', 400, 'A user already exists'],
  ['user_not_found', 404, 'User not found'],
  ['username_taken', 400, 'Username already exists'],
  ['websocket_version', 426, 'Upgrade Required']
]

t.test('each refusal has its code', async t => {
  const all = Object.values(errors).filter(one => one instanceof errors.Failure).map(({ code, statusCode, message }) => [code, statusCode, message] as const)
  const sorted = (rows: typeof table) => rows.map(row => row.join(' ')).sort()
  t.strictSame(sorted(all), sorted(table))
  t.strictSame(all.filter(([code]) => !/^[a-z]+(?:_[a-z]+)*$/.test(code)), [])
})

t.test('two messages that mean the same share a code, and one message that means two things has two', async t => {
  t.equal(errors.TemplateMissing.code, errors.TemplateNotFound.code)
  t.equal(errors.NoTokenFound.code, errors.MissingToken.code)
  t.equal(errors.NoPlatform.code, errors.PlatformNotFound.code)
  for (const [one, other] of [[errors.Forbidden, errors.KeyNotAccepted], [errors.TooManySockets, errors.TooManySocketsOfUser], [errors.UpgradeRequired, errors.WebSocketVersion]] as const) {
    t.equal(one.message, other.message)
    t.not(one.code, other.code)
  }
})

t.test('the code of a field is made of its name', async t => {
  t.strictSame([
    errors.required('Group platform.name').body, errors.invalid('Role hexColor').body, errors.mustBe('Role ID', -1).body, errors.required('UUID').body,
    errors.groupNumberInvalid('minMemory', 'must be an integer').body, errors.groupNumbersCrossed('minMemory', 'maxMemory').body,
    errors.groupPropertyInvalid('port', 'is no port').body, errors.passwordTooShort(8).body
  ], [
    { status: 400, message: 'Group platform.name is required', code: 'group_platform_name_required' },
    { status: 400, message: 'Role hexColor is invalid', code: 'role_hex_color_invalid' },
    { status: 400, message: 'Role ID must be -1', code: 'role_id_invalid' },
    { status: 400, message: 'UUID is required', code: 'uuid_required' },
    { status: 400, message: 'Group minMemory must be an integer', code: 'group_min_memory_invalid' },
    { status: 400, message: 'Group minMemory must not be greater than maxMemory', code: 'group_min_memory_above_max_memory' },
    { status: 400, message: 'Group properties.port is no port', code: 'group_properties_invalid' },
    { status: 400, message: 'Password must have at least 8 characters', code: 'password_too_short' }
  ])
})

t.test('a key hears that it lacks a permission, or that no key is taken there', async t => {
  const cloud = await build(t)
  const root = await cloud.setUp()
  const { key } = await makeKeyOf(root, ['cloud.group.list'])
  const bot = machine(cloud, key)
  t.strictSame((await bot('GET', '/services/list')).body, { status: 403, message: 'Forbidden', code: 'forbidden' })
  for (const path of ['/user/self', '/users/']) t.strictSame((await bot('GET', path)).body, { status: 403, message: 'Forbidden', code: 'key_not_accepted' })
  const user = await cloud.login([])
  t.strictSame((await user('GET', '/users/')).body, refusal(403, 'Forbidden', 'forbidden'))
})

t.test('what a host refuses has the words of its status for a code', async t => {
  const { client } = await build(t, {
    hostRefuses: true,
    before: app => app.addHook('onRequest', async request => { throw Object.assign(new Error('no'), { statusCode: Number(request.headers['x-status']) }) })
  })
  const said = async (status: number) => (await client()('GET', '/health', undefined, { headers: { 'x-status': String(status) } })).body
  t.strictSame(await said(503), { status: 503, message: 'Service Unavailable', code: 'service_unavailable' })
  t.strictSame(await said(418), { status: 418, message: "I'm a Teapot", code: 'im_a_teapot' })
})
