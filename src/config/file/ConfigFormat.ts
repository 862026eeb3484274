/** The format of `config.json`. Only a process that finds the file loads this module. */
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as path from "node:path"
import { nearest } from "../../domain/text/EditDistance.ts"
import { problemsOf } from "../../domain/text/SchemaProblems.ts"
import { parseStrictJson } from "../../domain/text/StrictJson.ts"
import { ClientIdUrl } from "../../domain/wire/ClientIdUrl.ts"
import { snakeCase, wire, withDefault } from "../../domain/wire/Wire.ts"
import { PROXY_FORMS, proxyUrl, uselessEntry } from "../ProxyAddress.ts"
import { LOG_FORMATS, MASTER_KEY_MODES, retentionDays } from "../Settings.ts"

const authority = (expected: string) =>
  Schema.makeFilter((value: string) => {
    const match = /^(?:\[[0-9a-fA-F:.]+\]|[^\s:/@[\]]+):(\d{1,5})$/.exec(value)
    const port = Number(match?.[1])
    return match !== null && port >= 1 && port <= 65535 ? undefined : expected
  })

const proxy = Schema.makeFilter((value: string) => {
  const url = proxyUrl(value)
  return url !== undefined && /^\/?$/.test(url.pathname) && url.search === "" && url.hash === ""
    ? undefined
    : `Expected ${PROXY_FORMS}, without a path`
})

const exemptHost = Schema.makeFilter((value: string) =>
  uselessEntry([value]) === undefined ? undefined : "Expected a name, an IP address, or a range such as 10.0.0.0/8"
)

const privateHost = Schema.makeFilter((value: string) =>
  /^(?:\*\.(?!.*\.\d+$))?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$|^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(value)
    ? undefined
    : "Expected a host name such as gitlab.corp, a wildcard such as *.corp, or an IP address; no port, path or other *"
)

const absolutePath = Schema.makeFilter((value: string) =>
  path.isAbsolute(value) ? undefined : "Expected an absolute path"
)

const httpsUrl = Schema.makeFilter((value: string) =>
  URL.canParse(value) && new URL(value).protocol === "https:" && new URL(value).username === ""
    ? undefined
    : "Expected an https URL"
)

export const NoticeTargets = wire("Notices", "Where the daemon sends the notices of a profile", {
  command: [
    Schema.optionalKey(
      Schema.NonEmptyArray(Schema.String).check(
        Schema.makeFilter(([program]) =>
          path.isAbsolute(program) ? undefined : "Expected the absolute path of a program"
        )
      )
    ),
    "A program and its first arguments. credsvc appends the title, the text and the URL of the notice, and uses no shell"
  ],
  desktop: [Schema.optionalKey(Schema.Literal(true)), "Whether `notify-send` shows the notice on this machine"],
  webhook: Schema.optionalKey(wire("Webhook", "A receiver of signed notices (Standard Webhooks)", {
    url: [Schema.String.check(httpsUrl), "The address to which the daemon sends the notice, as JSON"],
    secretFile: [
      Schema.String.check(absolutePath),
      "A file with the secret that signs the notice: `whsec_` and base64"
    ]
  })),
  ntfy: [Schema.optionalKey(Schema.String.check(httpsUrl)), "The URL of an ntfy topic"]
}).check(
  Schema.makeFilter((targets) =>
    Object.keys(targets).length > 0 ? undefined : "Expected command, desktop, webhook or ntfy"
  )
)

const within = (what: string, most: number) =>
  Schema.Int.check(
    Schema.makeFilter((value) => value >= 1 && value <= most ? undefined : `Expected ${what} from 1 to ${most}`)
  )

const port = within("a port", 65_535)

const days = within("a number of days", 3650)

const listOf = <A extends string | number>(item: Schema.Codec<A, A>) => withDefault(Schema.Array(item), [])

const retention = (component: string, log: string, fallback: number) =>
  withDefault(
    wire(component, `The ${log}`, {
      retentionDays: [
        withDefault(days, fallback),
        `Days after which the daemon deletes entries, ${fallback} by default`
      ]
    }),
    {}
  )

const upstream = {
  extraCaCerts: [
    listOf(Schema.String.check(absolutePath)),
    "Absolute paths of PEM files with certificate authorities to trust besides the system's"
  ],
  proxy: [
    Schema.optionalKey(Schema.String.check(proxy)),
    "The proxy of your company, through which credsvc reaches providers"
  ],
  noProxy: [listOf(Schema.NonEmptyString.check(exemptHost)), "Hosts that credsvc reaches without the proxy"],
  resolve: [
    withDefault(
      Schema.Record(
        Schema.String.check(authority("Expected host:port")),
        Schema.String.check(authority("Expected address:port"))
      ),
      {}
    ),
    "The addresses to use for names: `{\"api.corp:443\": \"10.0.0.7:8443\"}`. TLS still verifies the name"
  ],
  privateHosts: [
    withDefault(
      Schema.Array(Schema.String.check(privateHost).pipe(Schema.decode(SchemaTransformation.toLowerCase()))),
      []
    ),
    "Hosts that may have private or loopback addresses: names, addresses, or `*.corp`"
  ]
} as const

const run = {
  contain: [
    withDefault(Schema.Boolean, false),
    "Whether every run is contained, except with `--no-contain`. `false` by default"
  ],
  write: [
    listOf(Schema.NonEmptyString),
    "Paths to which contained runs may write. Relative paths start at the working directory"
  ],
  hide: [listOf(Schema.NonEmptyString), "Paths that contained runs do not see"],
  allowPorts: [listOf(port), "Ports of this machine that contained runs may use"]
} as const

const settings = {
  $schema: [Schema.optionalKey(Schema.String), "The JSON schema of this file, for editors"],
  version: [Schema.optionalKey(Schema.Literal(1)), "The version of the format"],
  activeProfile: [
    Schema.optionalKey(Schema.NonEmptyString),
    "The profile that `credsvc profile use` has selected. The first profile by default"
  ],
  masterKeyMode: [
    Schema.optionalKey(Schema.Literals(MASTER_KEY_MODES)),
    "Where the master key is: in the keyring, in a file (`local_key`), or in the keyring if it responds (`auto`, the default)"
  ],
  logFormat: [
    Schema.optionalKey(Schema.Literals(LOG_FORMATS)),
    "The format of the daemon's log, `text` by default. Applies after `credsvc daemon restart`"
  ],
  clientId: [Schema.optionalKey(ClientIdUrl), "The URL of the client ID metadata document that logins use"],
  upstream: withDefault(wire("Upstream", "How credsvc reaches providers", upstream), {}),
  run: withDefault(wire("Run", "Defaults of `credsvc run`", run), {}),
  auditLog: retention("AuditLog", "audit log", retentionDays.auditLog),
  requestLog: retention("RequestLog", "request log", retentionDays.requestLog),
  notices: [
    withDefault(Schema.Record(Schema.String, NoticeTargets), {}),
    "Where the daemon sends notices about questions of `--ask` and ended logins, by profile. None by default"
  ]
} as const

/** The file, from which `docs/configuration.md` and `docs/config.schema.json` are generated. */
export const Config = wire("Config", "The settings in `config.json`", settings)

const names = [settings, upstream, run].flatMap((fields) => Object.keys(fields).map(snakeCase))

export interface ConfigProblem {
  /** A JSON pointer to the invalid value, empty for the whole file. */
  readonly path: string
  readonly message: string
}

/** Adds the name that the user probably meant to the message about an unknown field. */
const withSuggestion = ({ message, path }: ConfigProblem): ConfigProblem => {
  const [meant] = message === "is an unknown field" ? nearest(path.replace(/.*\//, ""), names) : []
  return { path, message: meant === undefined ? message : `${message}. Did you mean ${meant}?` }
}

const decode = SchemaParser.decodeUnknownExit(Config, { errors: "all", onExcessProperty: "error" })

export const parseConfig = (bytes: Uint8Array): Result.Result<typeof Config.Type, ReadonlyArray<ConfigProblem>> => {
  let text: string | undefined
  let json: unknown
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    json = JSON.parse(text)
  } catch {
    const strict = text === undefined ? Result.void : parseStrictJson(text)
    return Result.fail([Result.isFailure(strict) ? strict.failure : { path: "", message: "is not valid JSON" }])
  }
  const exit = decode(json)
  if (Exit.isSuccess(exit)) return Result.succeed(exit.value)
  return Result.fail(
    exit.cause.reasons.flatMap((reason) =>
      reason._tag === "Fail" ? problemsOf({ issue: reason.error }).map(withSuggestion) : []
    )
  )
}
