import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import * as Semaphore from "effect/Semaphore"
import * as path from "node:path"
import { isSameStamp, type Stamp, stampOf } from "../platform/DirectoryState.ts"
import * as SecureFiles from "../platform/SecureFiles.ts"
import { Paths } from "./Paths.ts"
import { LOG_FORMATS, type LogFormat, MASTER_KEY_MODES } from "./Settings.ts"

/** `config.json` is invalid or unreadable. It is never replaced or ignored, so that the user can repair it. */
export class ConfigFileError extends Schema.TaggedError<ConfigFileError>()("ConfigFileError", {
  file: Schema.String,
  problems: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
}) {
  override get message(): string {
    const problems = this.problems.map(({ path, message }) => path === "" ? message : `${path}: ${message}`)
    return `Invalid settings in ${this.file}: ${problems.join("; ")}`
  }
}

export interface Upstream {
  /** PEM files that are trusted in addition to the system's roots. */
  readonly extraCaCerts: ReadonlyArray<string>
  /** A corporate proxy, used only as a CONNECT hop. */
  readonly proxy: string | undefined
  readonly noProxy: ReadonlyArray<string>
  /** Maps `host:port` to the `address:port` to connect to. TLS still verifies the original name. */
  readonly resolve: Readonly<Record<string, string>>
  /** Lowercase hosts that may have private or loopback addresses, besides those in `resolve`. May be `*.corp`. */
  readonly privateHosts: ReadonlyArray<string>
}

export interface RunDefaults {
  readonly contain: boolean
  /** Paths that contained runs may write, or hide. Relative ones are below the working directory, `~` is the home directory. */
  readonly write: ReadonlyArray<string>
  readonly hide: ReadonlyArray<string>
  /** Ports of this machine that contained runs may use. */
  readonly allowPorts: ReadonlyArray<number>
}

export interface RequestLogSettings {
  /** Entries of the request log that are older are deleted. */
  readonly retentionDays: number
}

export interface ConfigDocument {
  readonly activeProfile: string | undefined
  readonly masterKeyMode: typeof MASTER_KEY_MODES[number] | undefined
  /** The format of the daemon log, read when the daemon starts. */
  readonly logFormat: LogFormat | undefined
  readonly upstream: Upstream
  readonly run: RunDefaults
  readonly requestLog: RequestLogSettings
}

const authority = (expected: string) =>
  Schema.makeFilter((value: string) => {
    const match = /^(?:\[[0-9a-fA-F:.]+\]|[^\s:/@[\]]+):(\d{1,5})$/.exec(value)
    const port = Number(match?.[1])
    return match !== null && port >= 1 && port <= 65535 ? undefined : expected
  })

const proxyUrl = Schema.makeFilter((value: string) => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  return url !== undefined && (url.protocol === "http:" || url.protocol === "https:") && url.hostname !== "" &&
      (url.pathname === "/" || url.pathname === "") && url.search === "" && url.hash === ""
    ? undefined
    : "Expected an http or https URL without a path"
})

const privateHost = Schema.makeFilter((value: string) =>
  /^(?:\*\.(?!.*\.\d+$))?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$|^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(value)
    ? undefined
    : "Expected a host name such as gitlab.corp, a wildcard such as *.corp, or an IP address; no port, path or other *"
)

const absolutePath = Schema.makeFilter((value: string) =>
  path.isAbsolute(value) ? undefined : "Expected an absolute path"
)

const port = Schema.Int.check(
  Schema.makeFilter((value: number) => value >= 1 && value <= 65535 ? undefined : "Expected a port from 1 to 65535")
)

const days = Schema.Int.check(
  Schema.makeFilter((value: number) =>
    value >= 1 && value <= 3650 ? undefined : "Expected a number of days from 1 to 3650"
  )
)

const defaultRetentionDays = 30

const Wire = Schema.Struct({
  version: Schema.optionalKey(Schema.Literal(1)),
  active_profile: Schema.optionalKey(Schema.NonEmptyString),
  master_key_mode: Schema.optionalKey(Schema.Literals(MASTER_KEY_MODES)),
  log_format: Schema.optionalKey(Schema.Literals(LOG_FORMATS)),
  upstream: Schema.optionalKey(Schema.Struct({
    extra_ca_certs: Schema.optionalKey(Schema.Array(Schema.String.check(absolutePath))),
    proxy: Schema.optionalKey(Schema.String.check(proxyUrl)),
    no_proxy: Schema.optionalKey(Schema.Array(Schema.NonEmptyString)),
    resolve: Schema.optionalKey(Schema.Record(
      Schema.String.check(authority("Expected host:port")),
      Schema.String.check(authority("Expected address:port"))
    )),
    private_hosts: Schema.optionalKey(Schema.Array(Schema.String.check(privateHost)))
  })),
  run: Schema.optionalKey(Schema.Struct({
    contain: Schema.optionalKey(Schema.Boolean),
    write: Schema.optionalKey(Schema.Array(Schema.NonEmptyString)),
    hide: Schema.optionalKey(Schema.Array(Schema.NonEmptyString)),
    allow_ports: Schema.optionalKey(Schema.Array(port))
  })),
  request_log: Schema.optionalKey(Schema.Struct({ retention_days: Schema.optionalKey(days) }))
})

const fromWire = (wire: typeof Wire.Type): ConfigDocument => ({
  activeProfile: wire.active_profile,
  masterKeyMode: wire.master_key_mode,
  logFormat: wire.log_format,
  upstream: {
    extraCaCerts: wire.upstream?.extra_ca_certs ?? [],
    proxy: wire.upstream?.proxy,
    noProxy: wire.upstream?.no_proxy ?? [],
    resolve: wire.upstream?.resolve ?? {},
    privateHosts: (wire.upstream?.private_hosts ?? []).map((host) => host.toLowerCase())
  },
  run: {
    contain: wire.run?.contain ?? false,
    write: wire.run?.write ?? [],
    hide: wire.run?.hide ?? [],
    allowPorts: wire.run?.allow_ports ?? []
  },
  requestLog: { retentionDays: wire.request_log?.retention_days ?? defaultRetentionDays }
})

const toWire = (document: ConfigDocument): typeof Wire.Type => {
  const { extraCaCerts, noProxy, privateHosts, proxy, resolve } = document.upstream
  const upstream = {
    ...(extraCaCerts.length > 0 ? { extra_ca_certs: extraCaCerts } : {}),
    ...(proxy === undefined ? {} : { proxy }),
    ...(noProxy.length > 0 ? { no_proxy: noProxy } : {}),
    ...(Object.keys(resolve).length > 0 ? { resolve } : {}),
    ...(privateHosts.length > 0 ? { private_hosts: privateHosts } : {})
  }
  const { retentionDays } = document.requestLog
  const { allowPorts, contain, hide, write } = document.run
  const run = {
    ...(contain ? { contain } : {}),
    ...(write.length > 0 ? { write } : {}),
    ...(hide.length > 0 ? { hide } : {}),
    ...(allowPorts.length > 0 ? { allow_ports: allowPorts } : {})
  }
  return {
    version: 1,
    ...(document.activeProfile === undefined ? {} : { active_profile: document.activeProfile }),
    ...(document.masterKeyMode === undefined ? {} : { master_key_mode: document.masterKeyMode }),
    ...(document.logFormat === undefined ? {} : { log_format: document.logFormat }),
    ...(Object.keys(upstream).length > 0 ? { upstream } : {}),
    ...(Object.keys(run).length > 0 ? { run } : {}),
    ...(retentionDays === defaultRetentionDays ? {} : { request_log: { retention_days: retentionDays } })
  }
}

const decode = SchemaParser.decodeUnknownExit(Wire, { errors: "all", onExcessProperty: "error" })
const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

const pointer = (keys: ReadonlyArray<unknown> | undefined): string =>
  (keys ?? []).map((key) => "/" + String(key).replaceAll("~", "~0").replaceAll("/", "~1")).join("")

const parse = (file: string, bytes: Uint8Array): Effect.Effect<ConfigDocument, ConfigFileError> =>
  Effect.suspend(() => {
    let json: unknown
    try {
      json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
    } catch {
      return Effect.fail(new ConfigFileError({ file, problems: [{ path: "", message: "invalid JSON" }] }))
    }
    const exit = decode(json)
    if (Exit.isSuccess(exit)) return Effect.succeed(fromWire(exit.value))
    const problems = exit.cause.reasons.flatMap((reason) =>
      reason._tag === "Fail" ? formatIssue(reason.error).issues : []
    )
    return Effect.fail(
      new ConfigFileError({
        file,
        problems: problems.map((issue) => ({ path: pointer(issue.path), message: issue.message }))
      })
    )
  })

const EMPTY = fromWire({})

export class ConfigFile extends Context.Service<ConfigFile, {
  /** Reads the current document, with manual edits. A missing file reads as an empty document. */
  readonly read: Effect.Effect<ConfigDocument, ConfigFileError>

  /** Changes the document and writes it atomically. A file that cannot be read is not overwritten. */
  readonly update: (
    change: (document: ConfigDocument) => ConfigDocument
  ) => Effect.Effect<ConfigDocument, ConfigFileError>
}>()("credsvc/config/ConfigFile") {
  static readonly layerNoDeps: Layer.Layer<ConfigFile, never, Paths> = Layer.effect(
    ConfigFile,
    Effect.gen(function*() {
      const { config: file, home } = yield* Paths
      const lock = yield* Semaphore.make(1)

      const unusable = (error: SecureFiles.SecureFileError) =>
        new ConfigFileError({ file, problems: [{ path: "", message: error.message }] })

      let cached: { readonly stamp: Stamp; readonly document: ConfigDocument } | undefined

      const read = Effect.suspend(() => {
        const before = stampOf(file)
        if (cached !== undefined && isSameStamp(cached.stamp, before)) return Effect.succeed(cached.document)
        return SecureFiles.readFile(file, { maxBytes: 1024 * 1024 }).pipe(
          Effect.mapError((error) => error.problem === "not_found" ? error : unusable(error)),
          Effect.flatMap((bytes) => parse(file, bytes)),
          Effect.catchTag("SecureFileError", () => Effect.succeed(EMPTY)),
          Effect.tap((document) =>
            Effect.sync(() => {
              cached = { stamp: before, document }
            })
          )
        )
      })

      const update = Effect.fn("ConfigFile.update")(function*(change: (document: ConfigDocument) => ConfigDocument) {
        // Another process may write between our read and our rename. Its change is read again, so it is not lost.
        while (true) {
          const before = stampOf(file)
          const document = change(yield* read)
          const bytes = new TextEncoder().encode(JSON.stringify(toWire(document), null, 2) + "\n")
          const written = yield* parse(file, bytes)
          yield* Effect.mapError(SecureFiles.ensurePrivateDirectory(home), unusable)
          if (!isSameStamp(stampOf(file), before)) continue
          yield* Effect.mapError(SecureFiles.replaceFile(file, bytes), unusable)
          return written
        }
      })

      return ConfigFile.of({ read, update: (change) => lock.withPermits(1)(update(change)) })
    })
  )
}
