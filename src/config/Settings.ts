/** Settings from environment variables, read once at startup. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as path from "node:path"
import { ExitCode } from "../domain/ExitCode.ts"
import { homeDirectory } from "../platform/process/Account.ts"
import { isMountPath, mountPathOf } from "./daemon/DaemonUrl.ts"
import type { Variable } from "./Variables.ts"

export const MASTER_KEY_MODES = ["auto", "local_key", "keyring"] as const

export const LOG_FORMATS = ["text", "json"] as const
export type LogFormat = typeof LOG_FORMATS[number]

/** The age in days at which the daemon deletes entries of the logs, unless config.json says otherwise. */
export const retentionDays = { auditLog: 365, requestLog: 30 } as const

/** An environment variable has an invalid value. The message names the variable and does not repeat the value. */
export class SettingsError extends Data.TaggedError("SettingsError")<{
  readonly variable: string
  readonly message: string
}> {
  static readonly invalid = (variable: string, problem: string): SettingsError =>
    new SettingsError({ variable, message: `invalid value for ${variable}: ${problem}` })

  override readonly [Runtime.errorExitCode] = ExitCode.usage
}

export const headersVariable = "CREDSVC_DAEMON_HEADERS"
export const headersCommandVariable = "CREDSVC_DAEMON_HEADERS_COMMAND"

/** The settings for an authenticating proxy in front of the daemon. */
export type DaemonHeaderSettings = Pick<SettingsShape, "daemonHeaders" | "daemonHeadersCommand">

/** The names of the variables that are set, for messages; undefined if neither is. */
export const headerVariables = (settings: Partial<DaemonHeaderSettings>): string | undefined => {
  const names = [
    ...settings.daemonHeaders?._tag === "Some" ? [headersVariable] : [],
    ...settings.daemonHeadersCommand?._tag === "Some" ? [headersCommandVariable] : []
  ]
  return names.length === 0 ? undefined : names.join(" and ")
}

const isTelemetryVariable = (name: string): boolean => name.startsWith("OTEL_")

const telemetryOf = (
  variables: Readonly<Record<string, string>>
): Option.Option<Redacted.Redacted<Readonly<Record<string, string>>>> => {
  const names = Object.keys(variables).filter(isTelemetryVariable)
  return names.some((name) => /^OTEL_EXPORTER_OTLP_(?:\w+_)?ENDPOINT$/.test(name) && variables[name] !== "")
    ? Option.some(Redacted.make(Object.fromEntries(names.map((name) => [name, variables[name]!]))))
    : Option.none()
}

const isOwnSecret = (name: string): boolean =>
  name === "CREDSVC_MASTER_KEY" || name === "CREDSVC_MASTER_KEY_FILE" || name === "CREDSVC_DATABASE_URL" ||
  name === "CREDSVC_DATABASE_URL_FILE" || name === "CREDSVC_TLS_KEY_FILE" || name === headersVariable ||
  name === headersCommandVariable || name === "CREDSVC_METRICS_TOKEN" || name === "CREDSVC_ID_TOKEN" ||
  name === "CREDSVC_ID_TOKEN_FILE" ||
  /^OTEL_EXPORTER_OTLP_(?:\w+_)?HEADERS$/.test(name)

/** Removes credsvc's own secrets from the environment of a program that it starts. */
export const withoutOwnSecrets = (environment: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] =>
      entry[1] !== undefined && !isOwnSecret(entry[0])
    )
  )

/** Parses a base URL: an origin and a path. Any other part is an error, because it would be ignored. */
export const parseBaseUrl = (
  variable: string,
  value: string,
  example = "https://credsvc.example.com"
): Effect.Effect<URL, SettingsError> => {
  const invalid = (expected: string) =>
    Effect.fail(SettingsError.invalid(variable, `expected ${expected}, such as ${example}`))
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return invalid("an http or https URL")
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return invalid("a URL without a user, query or fragment")
  }
  if (!isMountPath(mountPathOf(url))) {
    return invalid("a path of letters, digits, hyphens, periods, underscores and tildes between single slashes")
  }
  url.pathname = mountPathOf(url)
  return Effect.succeed(url)
}

const parseHeaders = (value: string) =>
  Effect.promise(() => import("./daemon/DaemonHeaderFields.ts")).pipe(
    Effect.flatMap(({ parseHeaderFields }) => Effect.fromResult(parseHeaderFields(value))),
    Effect.mapBoth({
      onFailure: (problem) => SettingsError.invalid(headersVariable, problem),
      onSuccess: Redacted.make
    })
  )

/**
 * Splits the command at spaces; no shell runs it. The path is absolute because the arguments may be secrets, and a name
 * could find another program in `PATH`.
 */
const parseHeadersCommand = (value: string) => {
  const [program = "", ...args] = value.trim().split(/\s+/)
  return path.isAbsolute(program)
    ? Effect.succeed(Redacted.make<readonly [string, ...ReadonlyArray<string>]>([program, ...args]))
    : Effect.fail(SettingsError.invalid(
      headersCommandVariable,
      "expected the absolute path of a program and its arguments, separated by spaces"
    ))
}

const parseMetricsToken = (value: string): Effect.Effect<Redacted.Redacted<string>, SettingsError> => {
  const token = value.trim()
  return /^[!-~]{32,}$/.test(token)
    ? Effect.succeed(Redacted.make(token))
    : Effect.fail(
      SettingsError.invalid("CREDSVC_METRICS_TOKEN", "expected at least 32 ASCII characters without spaces")
    )
}

/** Refuses header fields without an https URL of the daemon: other users could receive them, or they would have no effect. */
const checkHeaders = ({ daemonHeaders, daemonHeadersCommand, daemonUrl }: {
  readonly [Name in "daemonHeaders" | "daemonHeadersCommand" | "daemonUrl"]: Option.Option<string>
}) => {
  const variable = Option.getOrUndefined(Option.orElse(
    Option.as(daemonHeaders, headersVariable),
    () => Option.as(daemonHeadersCommand, headersCommandVariable)
  ))
  return variable === undefined || /^https:/i.test(Option.getOrElse(daemonUrl, () => "").trim())
    ? Effect.void
    : Effect.fail(
      new SettingsError({
        variable,
        message:
          `${variable} is set, but CREDSVC_DAEMON_URL is not an https URL. Set the address of the proxy, or unset ` +
          variable
      })
    )
}

const optional = <A, B, E>(value: Option.Option<A>, parse: (value: A) => Effect.Effect<B, E>) =>
  Effect.transposeOption(Option.map(value, parse))

const parseLiteral =
  <A extends string>(variable: string, literals: ReadonlyArray<A>) =>
  (value: string): Effect.Effect<A, SettingsError> => {
    const found = literals.find((literal) => literal === value)
    return found === undefined
      ? Effect.fail(SettingsError.invalid(variable, `expected ${literals.join(", ")}`))
      : Effect.succeed(found)
  }

const read = Effect.fnUntraced(function*(variables: NodeJS.ProcessEnv) {
  const environment: Record<string, string> = Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => value === undefined ? [] : [[name, value]])
  )
  const raw = (name: Variable) => Option.fromUndefinedOr(environment[name])
  // In shells and container files, an empty variable means "not set".
  const text = (name: Variable) => Option.filter(raw(name), (value) => value.trim() !== "")
  const file = (name: Variable) => Option.map(text(name), (value) => path.resolve(value))
  const allowAnyPeer = text("CREDSVC_ALLOW_ANY_PEER")
  const [daemonHeaders, daemonHeadersCommand] = [text(headersVariable), text(headersCommandVariable)]
  yield* checkHeaders({ daemonHeaders, daemonHeadersCommand, daemonUrl: text("CREDSVC_DAEMON_URL") })
  return {
    home: Option.getOrElse(file("CREDSVC_HOME"), () => path.join(homeDirectory(), ".credsvc")),
    daemonUrl: yield* optional(
      text("CREDSVC_DAEMON_URL"),
      (value) => parseBaseUrl("CREDSVC_DAEMON_URL", value, "http://127.0.0.1:7998")
    ),
    /** External base URL of the daemon, for the redirect URI, links and accepted `Host` values. It may have a path. */
    serverBaseUrl: yield* optional(
      text("CREDSVC_SERVER_BASE_URL"),
      (value) => parseBaseUrl("CREDSVC_SERVER_BASE_URL", value)
    ),
    /** Header fields for an authenticating proxy in front of `daemonUrl`. */
    daemonHeaders: yield* optional(daemonHeaders, parseHeaders),
    /** A program that prints such header fields, and its arguments, which may be secrets. */
    daemonHeadersCommand: yield* optional(daemonHeadersCommand, parseHeadersCommand),
    // An empty CREDSVC_MASTER_KEY or CREDSVC_MASTER_KEY_FILE is an error, because it was probably meant to be set.
    // Treating it as unset would create a vault under another key.
    /** The raw value, neither decoded nor validated. Only `KeyResolver` reads it. */
    masterKey: Option.map(raw("CREDSVC_MASTER_KEY"), Redacted.make),
    /** The absolute path of a file with the key; empty if the variable is empty. Only `KeyResolver` reads the file. */
    masterKeyFile: Option.map(raw("CREDSVC_MASTER_KEY_FILE"), (file) => file.trim() === "" ? "" : path.resolve(file)),
    masterKeyMode: yield* optional(
      text("CREDSVC_MASTER_KEY_MODE"),
      parseLiteral("CREDSVC_MASTER_KEY_MODE", MASTER_KEY_MODES)
    ),
    /** The PostgreSQL database to use instead of a file, not validated. May contain a password. */
    databaseUrl: Option.map(text("CREDSVC_DATABASE_URL"), Redacted.make),
    /** The absolute path of a file with the URL of the database. */
    databaseUrlFile: file("CREDSVC_DATABASE_URL_FILE"),
    profile: text("CREDSVC_PROFILE"),
    /** The absolute paths of the certificate and its key, if the daemon serves TLS itself. */
    tlsCertFile: file("CREDSVC_TLS_CERT_FILE"),
    tlsKeyFile: file("CREDSVC_TLS_KEY_FILE"),
    /** Disables the check of the user behind a connection, for containers whose socket tables lack the user. */
    allowAnyPeer: Option.isSome(allowAnyPeer) && ["1", "true", "yes"].includes(allowAnyPeer.value),
    /** The bearer token for `GET /metrics` of a daemon that others can reach. */
    metricsToken: yield* optional(text("CREDSVC_METRICS_TOKEN"), parseMetricsToken),
    /** The format of the daemon log. */
    logFormat: yield* optional(text("CREDSVC_LOG_FORMAT"), parseLiteral("CREDSVC_LOG_FORMAT", LOG_FORMATS)),
    /** The `OTEL_*` variables if they name a receiver, neither validated nor complete. They may contain a secret. */
    telemetry: telemetryOf(environment)
  }
})

export type SettingsShape = Readonly<Effect.Success<ReturnType<typeof read>>>

export class Settings extends Context.Service<Settings, SettingsShape>()("credsvc/config/Settings") {
  static readonly layerEnv = (variables: () => NodeJS.ProcessEnv): Layer.Layer<Settings, SettingsError> =>
    Layer.effect(Settings, Effect.suspend(() => read(variables())))

  static readonly layer: Layer.Layer<Settings, SettingsError> = Settings.layerEnv(() => process.env)

  /** Uses the given values instead of the environment, for embedding programs and tests. */
  static readonly layerOf = (values: Partial<SettingsShape> & { readonly home: string }): Layer.Layer<Settings> =>
    Layer.effect(
      Settings,
      Effect.map(Effect.orDie(read({ CREDSVC_HOME: values.home })), (absent) => ({ ...absent, ...values }))
    )
}
