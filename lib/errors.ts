/**
 * Every failure that the interface can answer, one line each. The texts are part of the interface: clients compare
 * them (docs/interface.md, Errors).
 */

/** A refusal with its status, its code and its message, thrown anywhere below a route and answered as an envelope. */
export class Failure extends Error {
  readonly statusCode: number
  /** What machines tell it by: snake_case, one for each thing that can go wrong, whatever the message. */
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
  /** Set where the act goes on all the same: whether it is done in the end. */
  readonly late?: Promise<boolean>

  constructor (statusCode: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}, cause?: unknown) {
    // A refusal is an answer, not a fault: where it was thrown interests nobody and costs time.
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(message, cause === undefined ? {} : { cause })
    Error.stackTraceLimit = limit
    this.name = 'Failure'
    this.statusCode = statusCode
    this.code = code
    this.headers = headers
  }

  /** The same refusal with further headers that only this occasion knows, for instance `Retry-After`. */
  with (headers: Readonly<Record<string, string>>): Failure {
    return new Failure(this.statusCode, this.code, this.message, { ...this.headers, ...headers })
  }

  /** Whether that is the same refusal, whatever its headers. */
  is (other: Failure): boolean {
    return this.statusCode === other.statusCode && this.code === other.code && this.message === other.message
  }

  /** The same refusal of an act that goes on. */
  whileGoingOn (late: Promise<boolean>): Failure {
    // Nobody has to ask.
    late.catch(() => {})
    return Object.assign(new Failure(this.statusCode, this.code, this.message, this.headers, this.cause), { late })
  }

  /** The same refusal, keeping what led to it for the log. */
  because (cause: unknown): Failure {
    return new Failure(this.statusCode, this.code, this.message, this.headers, cause)
  }

  /** The body that it is answered with. */
  get body (): { readonly status: number, readonly message: string, readonly code: string } {
    return { status: this.statusCode, message: this.message, code: this.code }
  }
}

/** Whether it is a refusal of ours; of a foreign thing even that question may throw. */
export function isFailure (given: unknown): given is Failure {
  try {
    return given instanceof Failure
  } catch {
    return false
  }
}

const failure = (statusCode: number, code: string, message: string): Failure => new Failure(statusCode, code, message)

/** Words as a code has them: `Group platform.name` is `group_platform_name`, `Role hexColor` is `role_hex_color`. */
export const snakeCase = (words: string): string => words
  .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').replaceAll('\'', '').replaceAll(/[^A-Za-z0-9]+/g, '_').toLowerCase()

/** A required field is missing, blank or of the wrong type. */
export const required = (title: string): Failure => failure(400, `${snakeCase(title)}_required`, `${title} is required`)
/** A field has the wrong type or form. */
export const invalid = (title: string): Failure => failure(400, `${snakeCase(title)}_invalid`, `${title} is invalid`)
/** A field can have one value only. */
export const mustBe = (title: string, value: unknown): Failure => failure(400, `${snakeCase(title)}_invalid`, `${title} must be ${String(value)}`)
/** What a host refuses, or Fastify itself: its code is its status in words. */
export const foreign = (statusCode: number, words: string, headers: Readonly<Record<string, string>> = {}): Failure =>
  new Failure(statusCode, snakeCase(words), words, headers)

// Any route
export const InvalidBody = failure(400, 'invalid_body', 'Invalid body')
export const MissingToken = failure(401, 'missing_token', 'Missing token')
export const InvalidToken = failure(401, 'invalid_token', 'Invalid or expired token')
export const InvalidKey = failure(401, 'invalid_key', 'Invalid or expired key')
export const Forbidden = failure(403, 'forbidden', 'Forbidden')
/** The same words, where only a token counts and a key was sent. */
export const KeyNotAccepted = failure(403, 'key_not_accepted', 'Forbidden')
export const ForbiddenOrigin = failure(403, 'forbidden_origin', 'Forbidden origin')
export const PasswordChangeRequired = failure(403, 'password_change_required', 'Password change required')
export const NotFound = failure(404, 'not_found', 'Not Found')
export const BodyTooLarge = failure(413, 'body_too_large', 'Body is too large')
export const UnsupportedMediaType = failure(415, 'unsupported_media_type', 'Unsupported Media Type')
export const InternalServerError = failure(500, 'internal_server_error', 'Internal Server Error')
/** The database is away, busy or full; the storage marks such errors with `unavailable: true`. */
export const StorageUnavailable = failure(503, 'storage_unavailable', 'Storage is not available')

// Health
export const NotReady = failure(503, 'not_ready', 'Not ready')

// Metrics
/** `prom-client` is not installed beside this package. */
export const UnsupportedMetrics = failure(501, 'unsupported_metrics', 'Unsupported metrics')

// Logins and passwords
export const NoTokenFound = failure(401, 'missing_token', 'No token found')
export const InvalidCredentials = failure(401, 'invalid_credentials', 'Invalid credentials')
export const TooManyFailedLogins = failure(429, 'too_many_failed_logins', 'Too many failed logins')
export const TooBusy = failure(503, 'too_many_passwords', 'Too many passwords are being checked')
export const PasswordChangeUnderWay = failure(429, 'password_change_under_way', 'Password is being changed already').with({ 'retry-after': '1' })
export const CurrentPasswordWrong = failure(403, 'current_password_wrong', 'Current password is wrong')
export const PasswordNotNew = failure(400, 'password_not_new', 'Password must be a new one')
export const PasswordTooLong = failure(400, 'password_too_long', 'Password is too long')
export const passwordTooShort = (characters: number): Failure =>
  failure(400, 'password_too_short', `Password must have at least ${characters} characters`)

// Users
export const UserNotFound = failure(404, 'user_not_found', 'User not found')
export const UsernameTaken = failure(400, 'username_taken', 'Username already exists')
export const UserExists = failure(400, 'user_exists', 'A user already exists')
export const CannotAssignAdmin = failure(403, 'cannot_assign_admin', 'You cannot assign the admin role')
export const LastAdmin = failure(403, 'last_admin', 'The last admin cannot be removed')
export const TokenNotFound = failure(404, 'token_not_found', 'Token not found')
export const TooManyChanges = failure(429, 'too_many_changes', 'Too many changes').with({ 'retry-after': '1' })

// API keys
export const KeyNotFound = failure(404, 'key_not_found', 'Key not found')
export const TooManyKeys = failure(409, 'too_many_keys', 'Too many keys')
export const TooManyFailedKeys = failure(429, 'too_many_failed_keys', 'Too many failed keys')

// Roles
export const InvalidRoleId = failure(400, 'role_id_invalid', 'Invalid role ID')
export const RoleNotFound = failure(404, 'role_not_found', 'Role not found')
export const RoleTaken = failure(400, 'role_taken', 'Role already exists')
export const RoleTooLarge = failure(400, 'role_too_large', 'Role permissions are too many to fit into a token')
export const CannotAssignEverything = failure(403, 'cannot_assign_everything', 'You cannot assign * permission')
export const CannotAssignUnheld = failure(403, 'cannot_assign_unheld', 'You cannot assign a permission you do not hold')
export const AdminRoleIsFixed = failure(403, 'admin_role_fixed', 'The admin role cannot be changed')
export const DefaultRoleStays = failure(404, 'default_role', 'Default roles cannot be deleted')
export const RoleIsHeld = failure(404, 'role_held', 'Role is held by users and cannot be deleted')
export const RoleDeletionFailed = failure(500, 'role_deletion_failed', 'Failed to delete role')

// Templates
export const TemplateTaken = failure(400, 'template_taken', 'Template already exists')
export const TemplateMissing = failure(400, 'template_not_found', 'Template could not be found')
export const TemplateInUse = failure(400, 'template_in_use', 'Template is in use')
export const SystemTemplate = failure(400, 'system_template', 'System templates cannot be created, renamed or deleted')
export const UnsupportedTemplates = failure(500, 'unsupported_templates', 'Unsupported template runtime')

// Files of templates
export const TemplateFileNotFound = failure(404, 'template_file_not_found', 'File not found')
export const TemplateFileTooLarge = failure(413, 'template_file_too_large', 'Template file is too large')
export const TemplateArchiveInvalid = failure(400, 'template_archive_invalid', 'Template archive is no whole tar.gz')
export const TemplatesFull = failure(507, 'templates_full', 'Not enough space for templates')
export const UploadStalled = failure(408, 'upload_stalled', 'Upload stalled')
export const TooManyUploads = failure(429, 'too_many_uploads', 'Too many uploads').with({ 'retry-after': '1' })
export const TooManyDownloads = failure(429, 'too_many_downloads', 'Too many downloads').with({ 'retry-after': '1' })
/** A file of a name that cannot be there; of an archive, that and every other entry that is not taken. */
export const templateFileRefused = (path: string, why: string): Failure => failure(400, 'template_file_refused', `Template file ${path} ${why}`)
export const templateEntryTooLarge = (entry: string): Failure => failure(413, 'template_file_too_large', `Template file ${entry} is too large`)
export const templateArchiveTooLarge = (entry: string): Failure => failure(413, 'template_archive_too_large', `Template archive is too large at ${entry}`)

// Services and players
export const ServiceNotFound = failure(404, 'service_not_found', 'Service not found')
export const ServiceNotRunning = failure(409, 'service_not_running', 'Service is not running')
export const ServiceNotReading = failure(503, 'service_not_reading', 'Service is not reading commands')
export const UnsupportedServiceControl = failure(501, 'unsupported_service_control', 'Unsupported service runtime')
export const EmptyPlayerName = failure(400, 'player_name_required', 'Player name cannot be null or empty')
export const PlayerNotFound = failure(404, 'player_not_found', 'Player not found')
export const InvalidPagination = failure(400, 'pagination_invalid', 'Invalid pagination parameters')
export const InvalidRange = failure(400, 'range_invalid', 'Invalid range')

// Groups
export const GroupNotFound = failure(404, 'group_not_found', 'Group not found')
/** What the runtime keeps of it was changed by hand, and is wrong. */
export const GroupDamaged = failure(409, 'group_damaged', 'Group was changed by hand and has to be mended there first')
export const GroupTooLarge = failure(400, 'group_too_large', 'Group properties and templates are too many to be kept')
export const GroupTaken = failure(409, 'group_taken', 'Group already exists')
export const PlatformNotFound = failure(404, 'platform_not_found', 'Platform not found')
export const PlatformVersionNotFound = failure(404, 'platform_version_not_found', 'Platform version not found')
export const TemplateNotFound = failure(404, 'template_not_found', 'Template not found')
export const UnsupportedGroupControl = failure(501, 'unsupported_group_control', 'Unsupported group runtime')
/** A number of a group that leaves its range. */
export const groupNumberInvalid = (field: string, problem: string): Failure =>
  failure(400, `${snakeCase(`Group ${field}`)}_invalid`, `Group ${field} ${problem}`)
/** Two numbers of a group that contradict each other. */
export const groupNumbersCrossed = (lower: string, upper: string): Failure =>
  failure(400, `${snakeCase(`Group ${lower}`)}_above_${snakeCase(upper)}`, `Group ${lower} must not be greater than ${upper}`)
/** A property of a group that its platform cannot read. */
export const groupPropertyInvalid = (name: string, problem: string): Failure =>
  failure(400, 'group_properties_invalid', `Group properties.${name} ${problem}`)
export const PlatformNameFixed = failure(400, 'group_platform_name_fixed', 'Group platform.name cannot be changed')
export const NoPlatform = failure(404, 'platform_not_found', 'There is no platform')
export const groupAtMaximum = (name: string): Failure => failure(400, 'group_at_maximum', `Group ${name} already has its maximum of services`)
export const noPortLeft = (name: string): Failure => failure(400, 'no_port_left', `No port is left for another service of ${name}`)
export const serviceRunning = (name: string): Failure => failure(400, 'service_already_running', `Service ${name} is already running`)

// Live channels
export const UpgradeRequired = failure(426, 'upgrade_required', 'Upgrade Required').with({ upgrade: 'websocket', connection: 'Upgrade' })
/** A handshake of another version of the protocol. */
export const WebSocketVersion = failure(426, 'websocket_version', 'Upgrade Required').with(UpgradeRequired.headers)
export const InvalidHandshake = failure(400, 'handshake_invalid', 'Invalid handshake')
/** One user has all that one may have. */
export const TooManySocketsOfUser = failure(429, 'too_many_sockets_of_user', 'Too many sockets')
export const TooManySockets = failure(429, 'too_many_sockets', 'Too many sockets')
export const UnknownTopic = failure(400, 'unknown_topic', 'Unknown topic')

// The runtime
export const RuntimeTimeout = failure(504, 'runtime_timeout', 'Runtime did not answer in time')
export const RuntimeAnswerInvalid = failure(502, 'runtime_answer_invalid', 'Runtime gave an invalid answer')
/** A terminal line that is no command; the message is its usage. */
export const usage = (line: string): Failure => failure(400, 'command_usage', line)
/** What a runtime with a terminal of its own says where it does not accept a line. */
export const commandRefused = (lines: string): Failure => failure(400, 'command_refused', lines)
export const UnknownCommand = failure(400, 'unknown_command', 'Unknown command. Usage: help')
/** Everybody has to go: the host closes. */
export const Closing = failure(503, 'service_unavailable', 'Service Unavailable')
