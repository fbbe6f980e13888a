/**
 * Every failure that the interface can answer, one line each. The texts are part of the interface: clients compare
 * them (docs/interface.md, Errors).
 */

/** A refusal with its status and message, thrown anywhere below a route and answered as an envelope. */
export class Failure extends Error {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  /** Set where the act goes on all the same: whether it is done in the end. */
  readonly late?: Promise<boolean>

  constructor (statusCode: number, message: string, headers: Readonly<Record<string, string>> = {}, cause?: unknown) {
    // A refusal is an answer, not a fault: where it was thrown interests nobody and costs time.
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(message, cause === undefined ? {} : { cause })
    Error.stackTraceLimit = limit
    this.name = 'Failure'
    this.statusCode = statusCode
    this.headers = headers
  }

  /** The same refusal with further headers that only this occasion knows, for instance `Retry-After`. */
  with (headers: Readonly<Record<string, string>>): Failure {
    return new Failure(this.statusCode, this.message, { ...this.headers, ...headers })
  }

  /** Whether that is the same refusal, whatever its headers. */
  is (other: Failure): boolean {
    return this.statusCode === other.statusCode && this.message === other.message
  }

  /** The same refusal of an act that goes on. */
  whileGoingOn (late: Promise<boolean>): Failure {
    // Nobody has to ask.
    late.catch(() => {})
    return Object.assign(new Failure(this.statusCode, this.message, this.headers, this.cause), { late })
  }

  /** The same refusal, keeping what led to it for the log. */
  because (cause: unknown): Failure {
    return new Failure(this.statusCode, this.message, this.headers, cause)
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

const failure = (statusCode: number, message: string): Failure => new Failure(statusCode, message)

/** A required field is missing, blank or of the wrong type. */
export const required = (title: string): Failure => failure(400, `${title} is required`)
/** A field has the wrong type or form. */
export const invalid = (title: string): Failure => failure(400, `${title} is invalid`)
/** A field can have one value only. */
export const mustBe = (title: string, value: unknown): Failure => failure(400, `${title} must be ${String(value)}`)

// Any route
export const InvalidBody = failure(400, 'Invalid body')
export const MissingToken = failure(401, 'Missing token')
export const InvalidToken = failure(401, 'Invalid or expired token')
export const InvalidKey = failure(401, 'Invalid or expired key')
export const Forbidden = failure(403, 'Forbidden')
export const ForbiddenOrigin = failure(403, 'Forbidden origin')
export const PasswordChangeRequired = failure(403, 'Password change required')
export const NotFound = failure(404, 'Not Found')
export const BodyTooLarge = failure(413, 'Body is too large')
export const UnsupportedMediaType = failure(415, 'Unsupported Media Type')
export const InternalServerError = failure(500, 'Internal Server Error')
/** The database is away, busy or full; the storage marks such errors with `unavailable: true`. */
export const StorageUnavailable = failure(503, 'Storage is not available')

// Health
export const NotReady = failure(503, 'Not ready')

// Metrics
/** `prom-client` is not installed beside this package. */
export const UnsupportedMetrics = failure(501, 'Unsupported metrics')

// Logins and passwords
export const NoTokenFound = failure(401, 'No token found')
export const InvalidCredentials = failure(401, 'Invalid credentials')
export const TooManyFailedLogins = failure(429, 'Too many failed logins')
export const TooBusy = failure(503, 'Too many passwords are being checked')
export const PasswordChangeUnderWay = failure(429, 'Password is being changed already').with({ 'retry-after': '1' })
export const CurrentPasswordWrong = failure(403, 'Current password is wrong')
export const PasswordNotNew = failure(400, 'Password must be a new one')
export const PasswordTooLong = failure(400, 'Password is too long')
export const passwordTooShort = (characters: number): Failure =>
  failure(400, `Password must have at least ${characters} characters`)

// Users
export const UserNotFound = failure(404, 'User not found')
export const UsernameTaken = failure(400, 'Username already exists')
export const UserExists = failure(400, 'A user already exists')
export const CannotAssignAdmin = failure(403, 'You cannot assign the admin role')
export const LastAdmin = failure(403, 'The last admin cannot be removed')
export const TokenNotFound = failure(404, 'Token not found')

// API keys
export const KeyNotFound = failure(404, 'Key not found')
export const TooManyKeys = failure(409, 'Too many keys')
export const TooManyFailedKeys = failure(429, 'Too many failed keys')

// Roles
export const InvalidRoleId = failure(400, 'Invalid role ID')
export const RoleNotFound = failure(404, 'Role not found')
export const RoleTaken = failure(400, 'Role already exists')
export const RoleTooLarge = failure(400, 'Role permissions are too many to fit into a token')
export const CannotAssignEverything = failure(403, 'You cannot assign * permission')
export const CannotAssignUnheld = failure(403, 'You cannot assign a permission you do not hold')
export const AdminRoleIsFixed = failure(403, 'The admin role cannot be changed')
export const DefaultRoleStays = failure(404, 'Default roles cannot be deleted')
export const RoleIsHeld = failure(404, 'Role is held by users and cannot be deleted')
export const RoleDeletionFailed = failure(500, 'Failed to delete role')

// Templates
export const TemplateTaken = failure(400, 'Template already exists')
export const TemplateMissing = failure(400, 'Template could not be found')
export const TemplateInUse = failure(400, 'Template is in use')
export const SystemTemplate = failure(400, 'System templates cannot be created, renamed or deleted')
export const UnsupportedTemplates = failure(500, 'Unsupported template runtime')

// Services and players
export const ServiceNotFound = failure(404, 'Service not found')
export const ServiceNotRunning = failure(409, 'Service is not running')
export const ServiceNotReading = failure(503, 'Service is not reading commands')
export const UnsupportedServiceControl = failure(501, 'Unsupported service runtime')
export const EmptyPlayerName = failure(400, 'Player name cannot be null or empty')
export const PlayerNotFound = failure(404, 'Player not found')
export const InvalidPagination = failure(400, 'Invalid pagination parameters')
export const InvalidRange = failure(400, 'Invalid range')

// Groups
export const GroupNotFound = failure(404, 'Group not found')
export const GroupTaken = failure(409, 'Group already exists')
export const PlatformNotFound = failure(404, 'Platform not found')
export const PlatformVersionNotFound = failure(404, 'Platform version not found')
export const TemplateNotFound = failure(404, 'Template not found')
export const UnsupportedGroupControl = failure(501, 'Unsupported group runtime')
/** A group whose fields contradict each other or leave their range. */
export const groupRule = (sentence: string): Failure => failure(400, sentence)

// Live channels
export const UpgradeRequired = failure(426, 'Upgrade Required').with({ upgrade: 'websocket', connection: 'Upgrade' })
export const InvalidHandshake = failure(400, 'Invalid handshake')
export const TooManySockets = failure(429, 'Too many sockets')
export const UnknownTopic = failure(400, 'Unknown topic')

// The runtime
export const RuntimeTimeout = failure(504, 'Runtime did not answer in time')
export const RuntimeAnswerInvalid = failure(502, 'Runtime gave an invalid answer')
/** A terminal line that is no command; the message is its usage. */
export const usage = (line: string): Failure => failure(400, line)
