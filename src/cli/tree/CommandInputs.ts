/** The flags and arguments of commands that have a handler of their own, and the types of what the handlers get from them. */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as DateTime from "effect/DateTime"
import { AuditEvent } from "../../domain/wire/AuditEntry.ts"
import { ConnectionName } from "../../domain/wire/Connection.ts"
import { CommandOutput } from "../../domain/wire/CredentialCommand.ts"
import { ProfileHandle } from "../../domain/wire/Profile.ts"
import { builtInFlows, isFlow, RedirectHost } from "../../domain/wire/ProviderName.ts"
import { RunName } from "../../domain/wire/Run.ts"
import { SandboxName } from "../../domain/wire/Sandbox.ts"
import { TrustName } from "../../domain/wire/Trust.ts"
import { parseSince } from "../parse/TimeArguments.ts"
import * as Param from "./Param.ts"

const flowNames = `${builtInFlows.join(", ")}, or a method of a program that embeds credsvc, such as acme.ticket`

export const loginParams = {
  provider: Param.argument("provider", "Provider name, as shown by `credsvc list`, or the URL of a remote MCP server")
    .pipe(Argument.optional),
  connection: Param.connectionOrDefault,
  flow: Param.optional(
    Param.parsed("flow", (text) => isFlow(text) ? text : undefined, flowNames),
    `Login method to use instead of the provider's default: ${flowNames}`,
    "<method>"
  ),
  scopes: Param.optional("scopes", "Scopes to request, separated by commas", "<s1,s2>"),
  addScopes: Param.optional(
    "add-scopes",
    "Scopes to request in addition to the scopes of the connection; the login replaces the connection",
    "<s1,s2>"
  ),
  baseUrl: Param.optional(
    "base-url",
    "Base URL of your account, for providers that have a URL for each customer, or the name of a region",
    "<url>"
  ),
  redirectHost: Param.optional(
    Flag.Literals("redirect-host", RedirectHost.literals),
    "Host of the redirect URI, if your OAuth app is registered with only one host (default: the host that the provider requires)"
  ),
  trustIssuer: Param.optional(
    "trust-issuer",
    "Also accept this issuer, if the authorization server names an issuer other than the expected one",
    "<url>"
  ),
  noResource: Param.toggle(
    "no-resource",
    "Leave out the OAuth parameter `resource`, for a server whose login page reports it as an error, and accept metadata of another resource"
  ),
  clientId: Param.optional(
    "client-id",
    "Log in with the client ID metadata document at this https URL (default: client_id of config.json)",
    "<url>"
  ),
  adopt: Param.toggle(
    "adopt",
    "Take over the login in the file of a program such as claude-code: store its tokens, and put placeholders into the file"
  ),
  keep: Param.toggle(
    "keep",
    "With a program's login file: leave the file unchanged, and give placeholders to contained runs only, until the access token expires"
  ),
  undo: Param.toggle("undo", "Restore a login file that was taken over, byte for byte"),
  force: Param.toggle(
    "force",
    "Replace an existing connection without asking; with a login file, even while the program runs or if the file has changed"
  ),
  noBrowser: Param.toggle(
    "no-browser",
    "Do not open a browser; print the URL. On a terminal, also ask for the credential or the address of the last page of the login"
  ),
  stdin: Param.toggle(
    "stdin",
    "Read the API key or OAuth client credentials from stdin: the bare key or a JSON object of fields"
  ),
  timeout: Param.optional(
    Param.whole("timeout", 1, 86_400),
    "Time limit for the login (default: until the login expires, 10 minutes per step)",
    "<seconds>"
  ),
  check: Param.optional(
    Flag.Boolean("check"),
    "Check the new credential with the provider's test request, and warn if the credential is refused (default: on a terminal, unless --no-check). With --check, exit 5 in that case"
  ),
  containedOnly: Param.optional(
    Flag.Boolean("contained-only"),
    "Allow only contained runs to use the connection; --no-contained-only allows all runs again (default: no change)"
  ),
  yes: Param.toggle("yes", "Register the provider of a URL without asking"),
  allowInsecureLoopback: Param.toggle(
    "allow-insecure-loopback",
    "Accept an http URL with a literal loopback address, for testing"
  ),
  commandOutput: Param.optional(
    Flag.Literals("command-output", CommandOutput.literals),
    "What the credential command prints: text, with the key in the first line (default); json, an object with the fields; " +
      "credential_process, the JSON that AWS tools expect"
  ),
  commandValues: Param.repeatable(
    "command-value",
    "With --command-output json: JSON pointer to a field; repeatable (default: /<field>)",
    "<field>=</pointer>"
  ),
  commandExpiry: Param.optional(
    "command-expiry",
    "With --command-output json: JSON pointer to the time of expiry, or to the lifetime in seconds",
    "</pointer>"
  ),
  commandLifetime: Param.optional(
    Param.whole("command-lifetime", 10, 31_536_000),
    "Run the credential command again after this time, if its output states no expiry",
    "<seconds>"
  ),
  command: Param.argument(
    "command",
    "With --flow credential_command: a program that prints the credential, and its arguments, after `--`"
  ).pipe(Argument.variadic())
}
export type LoginInput = Param.InputOf<typeof loginParams>

export const runParams = {
  connections: Param.assignments,
  providers: Param.repeatable("provider", "Inject credentials for this provider only; repeatable", "<name>"),
  unmatched: Param.unmatched,
  ...Param.ruleFlags,
  ask: Param.toggle(
    "ask",
    "Let requests outside the rules wait up to 2 minutes for your answer; see `credsvc approve` (Linux)"
  ),
  record: Param.optional(
    Param.path("record"),
    "At the end, write a file for --rules with the rules that the run needed; an existing file keeps its rules"
  ),
  strict: Param.strict,
  maxTokens: Param.maxTokens,
  maxUses: Param.optional(
    Param.whole("max-uses", 1, 999_999_999),
    "Add credentials to this many requests only; later requests are refused",
    "<count>"
  ),
  expires: Param.optional(
    Param.duration("expires"),
    "Add credentials for this time only, from 1m to 30d; later requests are refused"
  ),
  profile: Param.named("profile", ProfileHandle, "Use the connections of this profile", "<handle>"),
  hooks: Param.repeatable(
    Flag.Literals("hook", ["python", "bun", "chromium", "mcp"]),
    "Configure clients that ignore environment variables: aiohttp for Python, WebSocket for Bun, Chromium under Playwright or Puppeteer (Linux), MCP servers that get a cleaned environment (Linux); repeatable"
  ),
  baseUrl: Param.toggle(
    "base-url",
    "Point the base URL variables of SDKs to local URLs, instead of using a proxy and a certificate"
  ),
  noJava: Param.toggle("no-java", "Do not set JAVA_TOOL_OPTIONS, which makes every JVM print a line"),
  contain: Param.toggle(
    "contain",
    "Contain the run (Linux): the command has no network except this proxy, and no access to your credential files"
  ),
  noContain: Param.toggle("no-contain", "Do not contain this run, although run.contain is set in config.json"),
  write: Param.repeatable(
    Param.path("write", "<path>"),
    "With --contain: allow the command to write to this path; repeatable"
  ),
  hide: Param.repeatable(Param.path("hide", "<path>"), "With --contain: hide this path from the command; repeatable"),
  allowPorts: Param.repeatable(
    Param.whole("allow-port", 1, 65_535),
    "With --contain: allow the command to connect to this port of the machine; repeatable",
    "<port>"
  ),
  noRecipe: Param.toggle("no-recipe", "Do not apply the recipe of the program; see `credsvc recipes`"),
  command: Param.argument("command", "The command and its arguments, after `--`").pipe(Argument.variadic({ min: 1 }))
}
export type RunInput = Param.InputOf<typeof runParams>

export const scanParams = {
  import: Param.toggle("import", "Store keys that the vault does not have; never replaces a stored key"),
  replace: Param.toggle(
    "replace",
    "With --import: replace the keys in the files with placeholders, which work only in credsvc run"
  ),
  undo: Param.toggle("undo", "Restore the files whose keys were replaced, byte for byte"),
  force: Param.toggle("force", "With --undo: also restore changed files, and discard the changes"),
  connection: Param.named("connection", ConnectionName, "Compare with this connection only, and import under its name"),
  providers: Param.repeatable(
    "provider",
    "Scan for this provider only; needed to import keys of a custom provider; repeatable",
    "<name>"
  )
}
export type ScanInput = Param.InputOf<typeof scanParams>

export const explainParams = {
  method: Param.argument("method", "Method of the request, such as GET"),
  url: Param.argument("url", "URL of the request"),
  headers: Param.repeatable("header", "Header field of the request; repeatable", "<name: value>"),
  data: Param.optional(
    "data",
    "Body of the request: text, @ and the name of a file, or - for stdin. Without it, the request has no body",
    "<text>"
  ),
  connections: Param.assignments,
  providers: Param.repeatable(
    "provider",
    "As for `credsvc run`: inject credentials for this provider only; repeatable",
    "<name>"
  ),
  unmatched: Param.unmatched,
  ...Param.ruleFlags
}
export type ExplainInput = Param.InputOf<typeof explainParams>

const time = (name: string, description: string) =>
  Param.optional(
    Param.parsed(
      name,
      (text) => parseSince(text, DateTime.nowUnsafe()),
      "a duration such as 30m, 12h or 7d, or an RFC 3339 time such as 2026-01-31T09:00:00Z"
    ),
    description,
    "<duration|time>"
  )

const ofProvider = Param.optional("provider", "Show only entries of this provider", "<name>")

const since = time(
  "since",
  "Show only entries since this time: a duration before now such as 30m, 12h or 7d, or an RFC 3339 time"
)

const utc = Param.toggle("utc", "Show times in UTC instead of relative times")

export const logParams = {
  lines: Param.lines("Number of entries, or of lines with --raw (default: 50)").pipe(Flag.withDefault(50)),
  provider: ofProvider,
  event: Param.optional(Flag.Literals("event", AuditEvent.literals), "Show only entries of this event"),
  since,
  utc,
  raw: Param.toggle("raw", "Show the debug log of the command line instead of the audit log")
}
export type LogInput = Param.InputOf<typeof logParams>

export const requestsParams = {
  lines: Param.lines("Number of requests (default: 50)").pipe(Flag.withDefault(50)),
  provider: ofProvider,
  run: Param.named("run", RunName, "Show only requests of this run"),
  status: Param.optional(Param.whole("status", 100, 999), "Show only requests with this status", "<status>"),
  host: Param.optional("host", "Show only requests to this host", "<host>"),
  failed: Param.toggle("failed", "Show only requests that were refused or got a status of 400 or higher"),
  since,
  until: time("until", "Show only requests until this time"),
  follow: Param.toggle("follow", "Keep showing requests as they are reported").pipe(Flag.withAlias("f")),
  format: Param.optional(
    Flag.Literals("format", ["jsonl"]),
    "Show each request as a line of JSON, for other systems to import"
  ),
  utc
}
export type RequestsInput = Param.InputOf<typeof requestsParams>

const isAddress = (text: string): boolean => {
  const port = /^(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\]):(\d{1,5})$/.exec(text)?.[1]
  return port !== undefined && Number(port) >= 1 && Number(port) <= 65_535
}

export const createParams = {
  name: Param.argument("name", "Sandbox name: 1 to 32 lower-case letters, digits, '_' or '-'", SandboxName),
  providers: Param.single(
    Flag.atLeast(Flag.String("provider"), 1),
    "A provider whose credentials the sandbox can use; repeatable, at least one",
    "<name>"
  ),
  connections: Param.assignments,
  unmatched: Param.unmatched,
  ...Param.ruleFlags,
  strict: Param.strict,
  expires: Param.duration("expires").pipe(
    Flag.withDefault(8 * 3_600_000),
    Flag.withDescription("Lifetime of the sandbox, from 1m to 30d (default: 8h)")
  )
}
export type CreateInput = Param.InputOf<typeof createParams>

export const envParams = {
  name: Param.sandboxArgument,
  format: Param.optional(
    Flag.Literals("format", ["shell", "docker", "compose", "devcontainer", "srt", "github-actions"]),
    "shell: export lines for eval (default); docker: for --env-file; compose: for env_file; devcontainer and srt: " +
      "JSON settings; github-actions: for $GITHUB_ENV"
  ),
  address: Param.optional(
    Flag.filter(Flag.String("address"), isAddress, () => "<host>:<port>, with a port from 1 to 65535"),
    "Address at which the programs reach the proxy (default: 127.0.0.1:7999; proxy:7999 for compose)",
    "<host:port>"
  ),
  directory: Param.optional(
    Param.path("directory", "<path>"),
    "Path at which the programs see a copy of the directory `mount` of the sandbox (default: /credsvc)"
  )
}
export type EnvInput = Param.InputOf<typeof envParams>

export const proxyParams = {
  sandbox: Param.named(
    "sandbox",
    SandboxName,
    "Serve only this sandbox. Programs of your user then need no token, except with --listen"
  ),
  socket: Param.optional(
    Param.path("socket", "<path>"),
    "Listen on a Unix socket that only you can open (default with --sandbox: in the sandbox's directory)"
  ),
  port: Param.optional(
    Param.whole("port", 0, 65_535),
    "Listen on this port of 127.0.0.1; 0 picks a free port (default without --sandbox: 7999)",
    "<port>"
  ),
  listen: Param.optional(
    "listen",
    "Listen on another address of this machine, such as the address of a bridge to containers",
    "<address:port>"
  ),
  tlsCert: Param.optional(
    Param.path("tls-cert"),
    "With --listen: certificate in PEM; clients then use an https:// address of the proxy"
  ),
  tlsKey: Param.optional(Param.path("tls-key"), "With --listen: private key of the certificate in PEM"),
  allowPublic: Param.toggle("allow-public", "With --listen and TLS: allow an address that other networks may reach")
}
export type ProxyInput = Param.InputOf<typeof proxyParams>

export const sshParams = {
  providers: Param.repeatable("provider", "Inject credentials for this provider only; repeatable", "<name>"),
  connections: Param.assignments,
  unmatched: Param.unmatched,
  options: Param.repeatable(
    Flag.withAlias(Flag.String("option"), "o"),
    "An option for ssh, as in ssh_config(5), such as Port=2222; repeatable",
    "<name=value>"
  ),
  tty: Param.toggle("tty", "Give the command a terminal; an interactive shell always gets one"),
  host: Param.argument("host", "The other machine, as for ssh: a name or user@name"),
  command: Param.argument(
    "command",
    "The command, which the shell of the other machine executes (default: an interactive shell)"
  ).pipe(Argument.variadic())
}
export type SshInput = Param.InputOf<typeof sshParams>

export const registerParams = {
  path: Param.argument("path", "JSON file with the provider definition"),
  force: Param.toggle("force", "Replace an existing provider of the same name without asking"),
  yes: Param.toggle("yes", "Do not ask; fail if the provider already exists"),
  takeOver: Param.repeatable(
    "take-over",
    "Use this provider for this host and path, which a bundled provider also claims; repeatable",
    "<host/path>"
  ),
  allowInsecureLoopback: Param.toggle(
    "allow-insecure-loopback",
    "Accept http endpoints with literal loopback addresses, for testing"
  )
}
export type RegisterInput = Param.InputOf<typeof registerParams>

export const startParams = {
  host: Param.single(
    Flag.withDefault(Flag.String("host"), "127.0.0.1"),
    "Address to listen on (default: 127.0.0.1)",
    "<address>"
  ),
  port: Param.single(
    Flag.withDefault(Param.whole("port", 0, 65_535), 7998),
    "Port to listen on; 0 picks a free port (default: 7998)",
    "<port>"
  )
}
export type StartInput = Param.InputOf<typeof startParams>

export const serveParams = {
  ...startParams,
  frontSocket: Param.optional(
    Param.path("front-socket", "<path>"),
    "Additional Unix socket to listen on, for a proxy in front of the daemon (docs/hosting.md)"
  ),
  frontGroup: Param.optional("front-group", "Group that may connect to --front-socket (default: only you)", "<group>"),
  drain: Param.optional(
    Param.whole("drain", 0, 300),
    "After SIGTERM, keep serving this long while /ready fails, so that load balancers notice; then give requests the same time to end (default: 0)",
    "<seconds>"
  ),
  reload: Param.toggle("reload", "Restart when the program or a provider file changes")
}
export type ServeInput = Param.InputOf<typeof serveParams>

export const enrollParams = {
  job: Param.toggle("job", "Enroll a CI job or a workload with its own ID token, without a code"),
  audience: Param.optional("audience", "Audience of the token to request (default: CREDSVC_DAEMON_URL)"),
  trust: Param.named("trust", TrustName, "Trust to use, if several trusts accept the token")
}
export type EnrollInput = Param.InputOf<typeof enrollParams>
