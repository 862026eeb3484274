/** Formats requests of the audit log for other systems, one line for each. */
import * as Schema from "effect/Schema"
import { describeMisplaced, formatMisplaced } from "../../domain/injection/MisplacedPlaceholder.ts"
import { RequestEntry } from "../../domain/wire/RequestEntry.ts"
import { version } from "../../platform/process/Version.ts"

const encode = Schema.encodeSync(RequestEntry)

export const jsonLine = (entry: RequestEntry): string => JSON.stringify(encode(entry))

const messageOf = ({ connection, host, kind, method, misplaced, missing, path, provider }: RequestEntry): string =>
  misplaced !== null
    ? describeMisplaced(misplaced, host)
    : kind === "request"
    ? `${method} ${host}${path} with ${provider}${connection === null ? "" : `/${connection}`}`
    : missing === null
    ? "requests may be missing: the run ended without its last report"
    : `${missing} requests are missing`

const isFailed = ({ error, kind, status }: RequestEntry): boolean =>
  kind !== "request" || error !== null || status >= 400

/** Escapes a value of a CEF extension (ArcSight CEF, "Character encoding"). */
const extension = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll("=", "\\=").replaceAll("\r", "\\r").replaceAll("\n", "\\n")

/** Formats Common Event Format, version 0. */
export const cefLine = (entry: RequestEntry): string => {
  const { bytesIn, bytesOut, connection, error, host, identity, kind, method, misplaced, path, provider } = entry
  const { rule, run, status } = entry
  const [id, name] = kind === "gap"
    ? ["gap", "Missing requests"]
    : kind === "placeholder"
    ? ["placeholder", "Misplaced placeholder"]
    : error === null
    ? ["request", "Request with a credential"]
    : ["refusal", "Request refused"]
  const fields: Record<string, string | number | null> = {
    rt: entry.timestamp.epochMilliseconds,
    suser: identity,
    ...(kind === "gap" ? {} : {
      requestMethod: method,
      dhost: host,
      request: `https://${host}${path}`,
      in: bytesOut,
      out: bytesIn,
      outcome: misplaced === null ? error ?? status : formatMisplaced(misplaced)
    }),
    cs1Label: "run",
    cs1: run,
    cs2Label: provider === null ? null : "connection",
    cs2: provider === null ? null : `${provider}/${connection ?? ""}`,
    cs3Label: rule === null ? null : "rule",
    cs3: rule,
    msg: messageOf(entry)
  }
  const extensions = Object.entries(fields).flatMap(([key, value]) =>
    value === null ? [] : [`${key}=${extension(String(value))}`]
  )
  return `CEF:0|credsvc|credsvc|${version}|${id}|${name}|${isFailed(entry) ? 5 : 1}|${extensions.join(" ")}`
}

const methods = ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT", "TRACE", "PATCH"]

/** Formats an HTTP Activity event (class 4002) of the Open Cybersecurity Schema Framework 1.3; a gap as a Base Event. */
export const ocsfLine = (entry: RequestEntry): string => {
  const { bytesIn, bytesOut, connection, error, host, identity, kind, method, misplaced, path, provider } = entry
  const { rule, run, status } = entry
  const common = {
    time: entry.timestamp.epochMilliseconds,
    message: messageOf(entry),
    severity_id: isFailed(entry) ? 3 : 1,
    metadata: { version: "1.3.0", product: { name: "credsvc", vendor_name: "credsvc", version }, log_name: "requests" },
    unmapped: { run, batch: entry.batch, provider, connection, ...(rule === null ? {} : { rule }) }
  }
  if (kind === "gap") return JSON.stringify({ ...common, class_uid: 0, category_uid: 0, activity_id: 99, type_uid: 99 })
  const activity = methods.indexOf(method) + 1 || 99
  return JSON.stringify({
    ...common,
    class_uid: 4002,
    category_uid: 4,
    activity_id: activity,
    type_uid: 400_200 + activity,
    action_id: error === null ? 1 : 2,
    status_id: isFailed(entry) ? 2 : 1,
    ...(error === null ? {} : { status_detail: error }),
    ...(misplaced === null ? {} : { status_detail: formatMisplaced(misplaced) }),
    actor: { user: { name: identity }, process: { name: `credsvc run ${run}` } },
    http_request: { http_method: method, url: { scheme: "https", hostname: host, path }, length: bytesIn },
    http_response: { code: status, length: bytesOut },
    dst_endpoint: { hostname: host },
    traffic: { bytes_in: bytesOut, bytes_out: bytesIn }
  })
}
