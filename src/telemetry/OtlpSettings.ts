/**
 * Reads the `OTEL_*` variables of OpenTelemetry's specification that have an effect here. Refuses other variables that a
 * user would expect to have an effect, and names them. Errors never repeat a value, which may be a secret.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { SettingsError } from "../config/Settings.ts"
import { readRegular } from "../platform/files/BoundedRead.ts"
import { isLoopback } from "../platform/sockets/IpAddress.ts"

export type Protocol = "http/json" | "http/protobuf"

type Variables = Readonly<Record<string, string>>

const fail = (variable: string, expected: string) =>
  Effect.fail(new SettingsError({ variable, message: `invalid value for ${variable}: expected ${expected}` }))

/** Variables of the specification that would change what is sent, but have no effect here. */
const unsupported = [
  "EXPORTER_OTLP_(?:(?:TRACES|METRICS)_)?(?:CLIENT_KEY|CLIENT_CERTIFICATE|INSECURE)",
  "EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION",
  "BSP_(?:MAX_QUEUE_SIZE|EXPORT_TIMEOUT)",
  "METRIC_EXPORT_TIMEOUT",
  "(?:(?:SPAN|EVENT|LINK|LOGRECORD)_)?(?:ATTRIBUTE|EVENT|LINK)_(?:VALUE_LENGTH|COUNT)_LIMIT",
  "(?:EXPERIMENTAL_)?CONFIG_FILE"
].map((form) => new RegExp(`^OTEL_${form}$`))

const samplers: Readonly<Record<string, (share: number) => number>> = {
  always_on: () => 1,
  always_off: () => 0,
  traceidratio: (share) => share,
  parentbased_always_on: () => 1,
  parentbased_always_off: () => 0,
  parentbased_traceidratio: (share) => share
}

/** Returns the first of these variables that is set. */
const setName = (variables: Variables, names: ReadonlyArray<string>) =>
  names.find((name) => variables[name] !== undefined)

const readLiteral = <A extends string>(
  variables: Variables,
  names: ReadonlyArray<string>,
  values: readonly [A, ...Array<A>]
) => {
  const name = setName(variables, names)
  if (name === undefined) return Effect.succeed(values[0])
  const found = values.find((value) => value === variables[name])
  return found === undefined ? fail(name, values.join(" or ")) : Effect.succeed(found)
}

const readInteger = (
  variables: Variables,
  names: ReadonlyArray<string>,
  fallback: number,
  [least, most]: readonly [least: number, most: number]
) => {
  const name = setName(variables, names)
  if (name === undefined) return Effect.succeed(fallback)
  const value = /^\d{1,9}$/.test(variables[name]!) ? Number(variables[name]) : -1
  return value < least || value > most ? fail(name, `a whole number from ${least} to ${most}`) : Effect.succeed(value)
}

/** Reads `key=value,key=value`, with values in percent encoding. */
const readPairs = Effect.fnUntraced(function*(
  variables: Variables,
  name: string | undefined,
  isPair: (key: string, value: string) => boolean
) {
  const pairs: Record<string, string> = {}
  if (name === undefined) return pairs
  const invalid = fail(name, "key=value pairs, separated by commas, with values in percent encoding")
  for (const pair of variables[name]!.split(",")) {
    if (pair.trim() === "") continue
    const at = pair.indexOf("=")
    const key = pair.slice(0, at).trim()
    let value: string
    try {
      value = decodeURIComponent(pair.slice(at + 1).trim())
    } catch {
      return yield* invalid
    }
    if (at === -1 || !isPair(key, value)) return yield* invalid
    pairs[key] = value
  }
  return pairs
})

const isHeaderField = (name: string, value: string): boolean =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

const readUrl = (name: string, text: string) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return fail(name, "an http or https URL, such as http://127.0.0.1:4318")
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return fail(name, "a URL without a user, query or fragment; use OTEL_EXPORTER_OTLP_HEADERS for a secret")
  }
  return Effect.succeed(url)
}

/** Reads the header fields. Refuses to send them, which may contain a secret, to another machine in clear text. */
const readHeaders = Effect.fnUntraced(function*(
  variables: Variables,
  names: ReadonlyArray<string>,
  { hostname, protocol }: URL,
  endpoint: string
) {
  const name = setName(variables, names)
  const headers = yield* readPairs(variables, name, isHeaderField)
  if (name !== undefined && protocol === "http:" && !isLoopback(hostname.replace(/^\[|\]$/g, ""))) {
    return yield* new SettingsError({
      variable: name,
      message: `${name} may contain a secret and is not sent to another machine over http: use https in ${endpoint}`
    })
  }
  return headers
})

const readCertificate = (variables: Variables, names: ReadonlyArray<string>) => {
  const name = setName(variables, names)
  return name === undefined ? Effect.undefined : Effect.matchEffect(
    Effect.fromResult(readRegular(variables[name]!, 1024 * 1024)),
    { onFailure: () => fail(name, "the path of a readable PEM file"), onSuccess: (pem) => Effect.succeed(String(pem)) }
  )
}

const readReceiver = Effect.fnUntraced(function*(variables: Variables, signal: "metrics" | "traces") {
  const upper = signal.toUpperCase()
  const exporter = yield* readLiteral(variables, [`OTEL_${upper}_EXPORTER`], ["otlp", "none"])
  const ofSignal = `OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`
  const shared = "OTEL_EXPORTER_OTLP_ENDPOINT"
  const name = setName(variables, [ofSignal, shared])
  if (exporter === "none" || name === undefined) return undefined
  const url = yield* readUrl(name, variables[name]!)
  if (name === shared) url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/${signal}`
  const both = (setting: string) => [`OTEL_EXPORTER_OTLP_${upper}_${setting}`, `OTEL_EXPORTER_OTLP_${setting}`]
  const headers = yield* readHeaders(variables, both("HEADERS"), url, name)
  const certificate = yield* readCertificate(variables, both("CERTIFICATE"))
  return {
    url,
    /** The header fields, which may contain a secret, as `authorization` does. */
    headers: Redacted.make<Readonly<Record<string, string>>>(headers),
    // The specification's default, which differs from Effect's.
    protocol: yield* readLiteral<Protocol>(variables, both("PROTOCOL"), ["http/protobuf", "http/json"]),
    compression: yield* readLiteral(variables, both("COMPRESSION"), ["none", "gzip"]),
    timeoutMillis: yield* readInteger(variables, both("TIMEOUT"), 10_000, [1, 60_000]),
    /** PEM certificates that are trusted in addition to the system's. */
    certificate
  }
})

/** Where and how one signal is sent. */
export type Receiver = NonNullable<Effect.Success<ReturnType<typeof readReceiver>>>

const readSampler = Effect.fnUntraced(function*(variables: Variables) {
  const { OTEL_TRACES_SAMPLER: name = "parentbased_always_on", OTEL_TRACES_SAMPLER_ARG: argument = "1" } = variables
  const sampler = Object.hasOwn(samplers, name) ? samplers[name] : undefined
  if (sampler === undefined) return yield* fail("OTEL_TRACES_SAMPLER", Object.keys(samplers).join(", "))
  const share = Number(argument)
  if (!/^[0-9.]+$/.test(argument) || !(share >= 0 && share <= 1)) {
    return yield* fail("OTEL_TRACES_SAMPLER_ARG", "a number from 0 to 1")
  }
  return sampler(share)
})

/** The settings of the export, or undefined if there is nothing to export. */
export const readOtlpSettings = Effect.fnUntraced(function*(all: Variables) {
  const variables = Object.fromEntries(Object.entries(all).filter(([, value]) => value.trim() !== ""))
  if (variables["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return undefined
  const traces = yield* readReceiver(variables, "traces")
  const metrics = yield* readReceiver(variables, "metrics")
  if (traces === undefined && metrics === undefined) return undefined
  const refused = Object.keys(variables).find((name) => unsupported.some((form) => form.test(name)))
  if (refused !== undefined) {
    return yield* new SettingsError({
      variable: refused,
      message: `credsvc does not support ${refused}: unset it for credsvc, or set OTEL_SDK_DISABLED=true`
    })
  }
  const resource = "OTEL_RESOURCE_ATTRIBUTES"
  const attributes = yield* readPairs(
    variables,
    variables[resource] === undefined ? undefined : resource,
    (key) => key !== ""
  )
  const { "service.name": named, ...resourceAttributes } = attributes
  return {
    traces,
    metrics,
    serviceName: variables["OTEL_SERVICE_NAME"] ?? named ?? "credsvc",
    resourceAttributes,
    /** The share of traces that is recorded, from 0 to 1. */
    sampledShare: yield* readSampler(variables),
    spanIntervalMillis: yield* readInteger(variables, ["OTEL_BSP_SCHEDULE_DELAY"], 5000, [100, 600_000]),
    maxBatchSize: yield* readInteger(variables, ["OTEL_BSP_MAX_EXPORT_BATCH_SIZE"], 512, [1, 2048]),
    metricIntervalMillis: yield* readInteger(variables, ["OTEL_METRIC_EXPORT_INTERVAL"], 60_000, [100, 3_600_000]),
    temporality: yield* readLiteral(
      variables,
      ["OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"],
      ["cumulative", "delta"]
    )
  }
})

export type OtlpSettings = NonNullable<Effect.Success<ReturnType<typeof readOtlpSettings>>>
