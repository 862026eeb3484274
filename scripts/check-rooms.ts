/**
 * The import rules between the rooms of src/, as data, and their check.
 *
 * Prints one sentence on stderr per violation and exits with code 1 if there is any: a forbidden import or an unused
 * permission. To change a rule, change a table here in the same commit as the code that needs it. The rules that are the
 * same for all rooms are in .oxlintrc.json.
 */
import { globSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { pathToFileURL } from "node:url"

export const roomNames = [
  "domain",
  "platform",
  "config",
  "api",
  "client",
  "oauth",
  "http",
  "certificates",
  "telemetry",
  "outbound",
  "store",
  "vault",
  "profiles",
  "audit",
  "providers",
  "connections",
  "flows",
  "sandboxes",
  "policies",
  "callers",
  "runs",
  "server",
  "proxy",
  "contain",
  "run",
  "conformance",
  "cli"
] as const

export type Room = (typeof roomNames)[number]

/** A misspelled name is reported as a permission that nothing uses. */
const named = (rooms: string): ReadonlyArray<Room> => rooms.split(" ") as ReadonlyArray<Room>

/** The rooms that a room may import. A room may always import its own files. */
export const rooms: Readonly<Record<Room, ReadonlyArray<Room>>> = {
  domain: [],
  platform: [],
  config: named("domain platform"),
  api: named("domain"),
  client: named("domain config platform profiles http"),
  oauth: named("platform"),
  http: named("platform"),
  certificates: named("platform"),
  telemetry: named("config platform"),
  outbound: named("domain platform config oauth http"),
  store: named("config platform"),
  vault: named("domain config platform"),
  profiles: named("domain config platform"),
  audit: named("domain config platform vault"),
  providers: named("domain config platform"),
  connections: named("domain platform vault providers profiles oauth http outbound audit telemetry"),
  flows: named("domain platform config vault providers oauth connections audit telemetry"),
  sandboxes: named("domain platform vault connections certificates audit"),
  policies: named("domain vault audit"),
  callers: named("domain platform vault profiles audit oauth policies"),
  runs: named(
    "domain platform config telemetry vault profiles audit connections sandboxes " +
      "policies callers oauth"
  ),
  server: named(
    "domain platform config api outbound store vault profiles audit providers " +
      "connections flows sandboxes policies callers runs http telemetry"
  ),
  proxy: named("domain client config platform outbound http certificates telemetry"),
  // Runs the daemon's services against fake providers. It combines rooms as the daemon does, and no other room needs
  // it.
  conformance: named("domain platform config oauth store vault profiles audit providers connections flows"),
  contain: named("platform"),
  run: named("domain config platform outbound proxy contain"),
  cli: named("domain api client config platform certificates proxy contain run telemetry")
}

/** Files directly in src/ that combine rooms, and may therefore import all of them. */
export const compositionFiles: ReadonlyArray<string> = [
  "src/bin.ts",
  "src/executable.ts",
  "src/serve.ts",
  "src/index.ts",
  "src/api.ts",
  "src/embedded.ts",
  "src/testing.ts"
]

/** Imports between rooms that the table forbids, but that are allowed as a dynamic `import(…)`. */
export const lazyImports: ReadonlyArray<{ readonly file: string; readonly room: Room; readonly reason: string }> = [
  {
    file: "src/cli/commands/DaemonServe.ts",
    room: "server",
    reason: "`daemon serve` is the daemon in the same binary"
  },
  {
    file: "src/cli/commands/Restore.ts",
    room: "server",
    reason: "`admin restore` replaces the store in this process"
  },
  {
    file: "src/cli/commands/provider/ProviderTest.ts",
    room: "conformance",
    reason: "`provider test` runs the daemon's services in this process"
  }
]

/** Rooms that may use `node:` modules. The others use platform services. */
export const nodeRooms: ReadonlyArray<Room> = named(
  "platform config store vault client http certificates telemetry outbound server proxy " +
    "conformance contain cli run runs callers"
)

export const builtinsFile = "src/platform/builtins.ts"
/** The only file that sends header lists of `node:http2`. */
const http2File = "src/http/http2/SendHeaders.ts"

/** Packages other than Effect's core modules, and the rooms that may import them. */
export const packages: ReadonlyArray<{ readonly name: RegExp; readonly rooms: ReadonlyArray<Room> }> = [
  { name: /^effect\/http-api\/HttpApiError$/, rooms: ["domain", "server"] },
  { name: /^effect\/http-api\//, rooms: ["api", "client", "server"] },
  { name: /^effect\/http\//, rooms: ["server", "telemetry"] },
  { name: /^effect\/observability\//, rooms: ["telemetry"] },
  { name: /^effect\/cli\//, rooms: ["cli"] },
  {
    name: /^effect\/sql\//,
    rooms: ["store", "vault", "audit", "connections", "flows", "sandboxes", "policies", "callers", "runs"]
  },
  { name: /^effect\/(reactivity|schema|persistence)\//, rooms: ["store"] },
  { name: /^effect\/[A-Z]\w*$/, rooms: roomNames },
  { name: /^@effect\/sql-pg\//, rooms: ["store"] },
  { name: /^@effect\/platform-node\//, rooms: ["server"] },
  { name: /^jose$/, rooms: ["callers"] },
  { name: /^socks$/, rooms: ["outbound"] },
  { name: /^tldts$/, rooms: ["domain", "providers"] },
  { name: /^undici(\/|$)/, rooms: ["http"] },
  { name: /^uqr$/, rooms: ["server", "cli"] },
  { name: /^@modelcontextprotocol\/sdk\//, rooms: ["cli"] }
]

/** Files that may open a secret with `Redacted.value`, and their reasons. */
export const secretOpeners: Readonly<Record<string, string>> = {
  "src/providers/KeyCheck.ts": "trims and checks what was entered",
  "src/domain/injection/Placement.ts": "composes the headers to inject from templates, and wraps them again",
  "src/store/ConfiguredStore.ts": "connects to the database",
  "src/vault/SealedRepo.ts": "reads sealed rows",
  "src/vault/Vault.ts": "encrypts and decrypts",
  "src/vault/keys/KeyResolver.ts": "makes and checks the master key",
  "src/vault/keys/KeyStores.ts": "reads the master key from the keyring",
  "src/vault/keys/Keyring.ts": "stores the master key in the keyring",
  "src/server/http/CallerAdmission.ts": "compares the token of a scraper",
  "src/flows/sessions/AuthSessions.ts": "hashes the state that finds a session",
  "src/flows/oauth/AccountStep.ts": "compares the chosen account",
  "src/flows/oauth/OAuthForm.ts": "trims and checks what was entered",
  "src/connections/grants/GrantRequests.ts": "composes token requests from templates, and wraps them again",
  "src/connections/grants/AssumeRole.ts": "reads what was entered, and the keys of a response",
  "src/connections/ConnectionRepo.ts": "copies the values of plain fields",
  "src/connections/grants/CredentialCommands.ts": "reads the output of a credential command",
  "src/connections/use/CredentialExport.ts": "an export is the secret",
  "src/connections/programs/LoginsFromFiles.ts": "replaces the tokens in a login file",
  "src/cli/login/UserFile.ts": "writes the original content of a file",
  "src/cli/scan/Replace.ts": "replaces keys in files",
  "src/connections/programs/LoginMessages.ts": "reads the requests of programs that log in, and their responses",
  "src/connections/programs/LoginsFromRuns.ts": "looks for placeholders in a request that a limited run must not send",
  "src/connections/programs/LoginStorage.ts":
    "looks for the tokens in the document that is built in place of a response",
  "src/oauth/AccountLookup.ts": "sends the new token, and reads the response",
  "src/client/DaemonHeaders.ts":
    "sends the header fields of an authenticating proxy, and runs the program that prints them",
  "src/callers/Identities.ts": "hashes the secret of an enrollment code",
  "src/callers/JobTokens.ts": "reads and verifies the token of a job",
  "src/sandboxes/SandboxRows.ts": "hashes the token",
  "src/oauth/Assertion.ts": "signs with the private key",
  "src/oauth/AuthorizationRequest.ts": "state is a parameter of the address to open",
  "src/oauth/AuthorizationResponse.ts": "compares state",
  "src/oauth/ClientRegistration.ts": "sends the registration access token",
  "src/oauth/DeviceAuthorization.ts": "checks whether a response is empty",
  "src/oauth/Messages.ts": "reads the body of a response, and looks for secrets in error texts",
  "src/oauth/OAuthClient.ts": "authenticates the client",
  "src/oauth/Pkce.ts": "hashes the verifier",
  "src/connections/use/SigningKeys.ts": "derives signing keys from the stored key pair",
  "src/connections/scan/FoundKeys.ts": "distinguishes keys from samples, and computes digests to compare",
  "src/outbound/ProviderHttp.ts": "writes the request",
  "src/outbound/HeaderInjection.ts": "puts the secret into the request",
  "src/outbound/sigv4/RequestSigner.ts": "signs with the key",
  "src/outbound/HmacSignature.ts": "signs with the key",
  "src/conformance/FakeProvider.ts": "the fake provider reads the requests that it receives",
  "src/proxy/sandbox/SandboxProxy.ts": "signs with the key of a sandbox's certificate authority",
  "src/telemetry/Otlp.ts": "sends the headers of the user's receiver",
  "src/server/Daemon.ts": "passes the variables of OpenTelemetry to their reader",
  "src/cli/home/Telemetry.ts": "passes the variables of OpenTelemetry to their reader",
  "src/client/Autostart.ts": "pipes the master key to the daemon it starts",
  "src/cli/api/OperationCall.ts": "sends secrets to the daemon",
  "src/cli/commands/sandbox/SandboxEnv.ts": "prints the token",
  "src/cli/login/LoginSteps.ts": "checks whether the user typed something"
}

interface Import {
  readonly specifier: string
  readonly typeOnly: boolean
  readonly dynamic: boolean
}

/** Blanks comments, so that examples in them do not count as imports. */
const withoutComments = (text: string): string =>
  text.replace(
    /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (_, literal: string | undefined) => literal ?? " "
  )

const importsOf = (code: string): ReadonlyArray<Import> => {
  const found: Array<Import> = []
  for (
    const match of code.matchAll(
      /^[ \t]*(?:import|export)\b(?<clause>[^"'`;()]*?\bfrom\b|)[ \t\r\n]*["'](?<specifier>[^"'\n]+)["']/gm
    )
  ) {
    found.push({
      specifier: match.groups!.specifier!,
      typeOnly: /^\s*type\b(?!\s*from\b)/.test(match.groups!.clause!),
      dynamic: false
    })
  }
  for (const match of code.matchAll(/\b(?:import|require)\s*\(\s*["'`](?<specifier>[^"'`\n]+)["'`]/g)) {
    // `import("x").Y` in a type position is a type; a value import of a builtin is awaited or chained.
    found.push({ specifier: match.groups!.specifier!, typeOnly: false, dynamic: true })
  }
  return found
}

/** A permission of the tables above, as text. */
type Permission = string

const roomPermission = (room: Room, other: Room): Permission => `rooms lets ${room} import ${other}`
const lazyPermission = (file: string, room: Room): Permission => `lazyImports lets ${file} load ${room}`
const nodePermission = (room: Room): Permission => `nodeRooms lets ${room} use node: modules`
const packagePermission = (name: RegExp, room: Room): Permission => `packages lets ${room} import ${name.source}`
const secretPermission = (file: string): Permission => `secretOpeners lets ${file} open secrets`

/**
 * Finds the violations in one file; `file` is relative to the repository, with forward slashes. Adds the permissions
 * that it needs to `used`.
 */
export const check = (file: string, text: string, used = new Set<Permission>()): ReadonlyArray<string> => {
  const breaches: Array<string> = []
  const breach = (sentence: string) => breaches.push(`${file}: ${sentence}`)
  const code = withoutComments(text)
  const imports = importsOf(code)

  if (/\bimport\s*(?:type\s*)?\{[^}]*\}\s*from\s*["']effect\/Redacted["']/.test(code)) {
    breach(
      "imports names from \"effect/Redacted\"; import it as `* as Redacted`, so that `Redacted.value` can be found"
    )
  }
  if (opensSecrets(text)) used.add(secretPermission(file))
  if (opensSecrets(text) && secretOpeners[file] === undefined) {
    breach("may not use Redacted.value; files that must are listed with their reason in scripts/check-rooms.ts")
  }
  const sendsHeaders = /^src\/(?:http|proxy)\//.test(file) &&
    /\.(?:respond|additionalHeaders|sendTrailers)\(/.test(code)
  if (sendsHeaders && file !== http2File) {
    breach(`may not send header lists of node:http2, which throws; use the functions of ${http2File}`)
  }
  if (/\bgetBuiltinModule\b/.test(code) && file !== builtinsFile && !compositionFiles.includes(file)) {
    breach(`may not call process.getBuiltinModule; import the builtin from ${builtinsFile}`)
  }

  const composes = compositionFiles.includes(file)
  const room = roomNames.find((name) => file.startsWith(`src/${name}/`))
  if (room === undefined && !composes) {
    breach("is not in a room; the rooms are listed in scripts/check-rooms.ts")
    return breaches
  }

  for (const { dynamic, specifier, typeOnly } of imports) {
    if (specifier.startsWith(".")) {
      if (!/\.(ts|json)$/.test(specifier)) breach(`imports "${specifier}" without its .ts extension`)
      const target = posix.normalize(posix.join(posix.dirname(file), specifier))
      if (room === undefined) continue
      const other = roomNames.find((name) => target.startsWith(`src/${name}/`))
      if (other === undefined) {
        if (target.startsWith("src/")) breach(`${room} may not import ${target}`)
      } else if (other !== room) {
        const isLazy = dynamic && lazyImports.some((lazy) => lazy.file === file && lazy.room === other)
        if (rooms[room].includes(other)) used.add(roomPermission(room, other))
        else if (isLazy) used.add(lazyPermission(file, other))
        else breach(`${room} may not import from ${other}`)
      }
      continue
    }
    if (specifier.startsWith("node:")) {
      if (room !== undefined) used.add(nodePermission(room))
      if (room !== undefined && !nodeRooms.includes(room)) breach(`${room} may not import "${specifier}"`)
      continue
    }
    if (room === undefined) continue
    const rule = packages.find(({ name }) => name.test(specifier))
    if (rule === undefined) breach(`imports "${specifier}", which no room may import`)
    else if (rule.rooms.includes(room)) used.add(packagePermission(rule.name, room))
    else if (!typeOnly) breach(`${room} may not import "${specifier}"`)
  }
  return breaches
}

/** The permissions in the tables, except those for Effect's core modules, which every room has. */
const permissions = (): ReadonlyArray<Permission> => [
  ...roomNames.flatMap((room) => rooms[room].map((other) => roomPermission(room, other))),
  ...lazyImports.map(({ file, room }) => lazyPermission(file, room)),
  ...nodeRooms.map(nodePermission),
  ...packages.flatMap(({ name, rooms }) =>
    rooms === roomNames ? [] : rooms.map((room) => packagePermission(name, room))
  ),
  ...Object.keys(secretOpeners).map(secretPermission)
]

/** Finds the violations in a set of files, and every permission that none of them needs. */
export const checkAll = (texts: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const used = new Set<Permission>()
  const breaches = [...texts].flatMap(([file, text]) => check(file, text, used))
  return [
    ...breaches,
    ...permissions().filter((permission) => !used.has(permission))
      .map((permission) => `scripts/check-rooms.ts: ${permission}, but nothing uses it`),
    ...[builtinsFile, ...compositionFiles].filter((file) => !texts.has(file))
      .map((file) => `scripts/check-rooms.ts names ${file}, which does not exist`)
  ]
}

const opensSecrets = (text: string): boolean => /\bRedacted\.value\b/.test(withoutComments(text))

const main = (): void => {
  const root = join(import.meta.dirname, "..")
  const files = globSync("src/**/*.ts", { cwd: root }).map((file) => file.replaceAll("\\", "/"))
  const texts = new Map(files.toSorted().map((file) => [file, readFileSync(join(root, file), "utf8")]))
  const breaches = checkAll(texts)
  for (const sentence of breaches) console.error(sentence)
  if (breaches.length > 0) process.exitCode = 1
  else console.log(`rooms: ${files.length} files keep the import rules`)
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) main()
