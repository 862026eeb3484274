/** The entries of the request log, as a proxy reports them. */
import { parseMisplaced } from "../injection/MisplacedPlaceholder.ts"
import { percentEncoded } from "../text/PercentEncoding.ts"
import { plainScopes } from "../text/StepUp.ts"

/** One request in the form in which it is reported and stored. `time` is in milliseconds since 1970. */
export type ReportedRequest = readonly [
  time: number,
  method: string,
  host: string,
  path: string,
  status: number,
  bytesIn: number,
  bytesOut: number,
  provider: string | null,
  connection: string | null,
  rule: string | null,
  error: string | null,
  /** A misplaced placeholder, in the form of `formatMisplaced`. */
  misplaced?: string | null,
  /** The scopes in a response with the error `insufficient_scope`, separated by spaces. */
  missingScopes?: string | null,
  /** The LLM tokens that the response reported. Only in a run with a token limit. */
  tokens?: number
]

/**
 * A report of a proxy. `part` is even and increases from report to report; a report that is sent again has the same part.
 * `missing` counts the requests that were dropped since the previous part. No part follows the `last` one.
 */
export interface RequestReport {
  readonly part: number
  readonly last: boolean
  readonly missing: number
  /** The LLM tokens that the run's own responses have reported so far. Only in a run with a token limit. */
  readonly tokens?: number | undefined
  readonly entries: ReadonlyArray<ReportedRequest>
}

/**
 * The maximum number of entries in a report, so that its body stays below the limit of a request. For large reports, a daemon
 * interrupts a busy proxy less often.
 */
export const maxReportedRequests = 2000
const maxPath = 512
/** The end of the year 9999, the last year that RFC 3339 can express. */
const maxTime = 253_402_300_799_999

/** The part of a path that is reported, in visible ASCII, because a terminal may obey other characters of a client. */
export const reportedPath = (path: string): string => {
  const visible = percentEncoded(path)
  return visible.length > maxPath ? `${visible.slice(0, maxPath)}...` : visible
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
/**
 * Whether a value is a valid part number. It is even, so the number after it, which the store gives to a gap after the last
 * report, is a safe integer, too.
 */
const isPart = (value: unknown): boolean => isCount(value) && value % 2 === 0
const isText = (value: unknown, length: number): boolean => typeof value === "string" && value.length <= length
const isOptional = (value: unknown): boolean => value === null || isText(value, 256)

/** Whether an entry has a misplaced placeholder or missing scopes, as few have. */
export const hasNotice = ({ 11: misplaced, 12: missingScopes }: ReportedRequest): boolean =>
  typeof misplaced === "string" || typeof missingScopes === "string"

/** Returns the members of an entry by name. */
export const reportedMembers = (request: ReportedRequest) => {
  const [time, method, host, path, status, bytesIn, bytesOut, provider, connection, rule, error, ...optional] = request
  const [misplaced, missingScopes, tokens] = optional
  return {
    time,
    request: { method, host, path, status, bytesIn, bytesOut, provider, connection, rule, error },
    misplaced: typeof misplaced === "string" ? parseMisplaced(misplaced) : undefined,
    missingScopes: typeof missingScopes === "string" ? plainScopes(missingScopes.split(" ")) : undefined,
    tokens
  }
}

const isMisplaced = (value: unknown): boolean =>
  isOptional(value) && (value === null || parseMisplaced(String(value)) !== undefined)
const isTime = (value: unknown): boolean => isCount(value) && value <= maxTime
const isAtMost = (length: number) => (value: unknown): boolean => isText(value, length)

/** The checks of the members of an entry, without a schema, because a report can have thousands of entries. */
const checks: ReadonlyArray<(value: unknown) => boolean> = [
  isTime,
  isAtMost(32),
  isAtMost(255),
  isAtMost(maxPath + 3),
  isCount,
  isCount,
  isCount,
  isOptional,
  isOptional,
  isOptional,
  isOptional,
  isMisplaced,
  isOptional,
  isCount
]

const isReportedRequest = (value: unknown): value is ReportedRequest =>
  Array.isArray(value) && value.length >= 11 && value.length <= checks.length &&
  value.every((member, at) => checks[at]!(member)) && (value.length !== 12 || value[11] !== null)

/** A report that has been read. `bytes` is its body, which is stored as it arrived. */
export interface ReadReport extends RequestReport {
  readonly bytes: Uint8Array
}

/** Like the reader of a stored report, it removes no byte order mark. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** Reads the body of a report. Returns undefined if it is invalid. */
export const readReport = (bytes: Uint8Array): ReadReport | undefined => {
  try {
    const { entries, last, missing, part, tokens } = Object(JSON.parse(utf8.decode(bytes)))
    const isValid = isPart(part) && isCount(missing) && typeof last === "boolean" &&
      (tokens === undefined || isCount(tokens)) && Array.isArray(entries) &&
      entries.length <= maxReportedRequests && entries.every(isReportedRequest)
    return isValid ? { part, last, missing, tokens, entries, bytes } : undefined
  } catch {
    return undefined
  }
}
