/**
 * The command tree: names, flags, descriptions, examples.
 *
 * A handler is imported when its command runs, so help and completion load no handlers and a command loads only its
 * own.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AuditEvent } from "../domain/AuditEntry.ts"
import { ConnectionName, defaultConnectionName } from "../domain/Connection.ts"
import { ProfileHandle } from "../domain/Profile.ts"
import { FlowKind } from "../domain/ProviderName.ts"
import { type ExitCodeName, ExitCodes } from "./ExitCodes.ts"
import { declarations } from "./GlobalFlagDeclarations.ts"
import { parseSince } from "./Since.ts"

type Handler<Input, E, R> = (input: Input) => Effect.Effect<void, E, R>

const bare = <Input, E, R>(load: () => Promise<Handler<Input, E, R>>) => (input: Input) =>
  Effect.flatMap(Effect.promise(load), (handle) => handle(input))

/** Loads a handler and provides the home directory to it. */
const lazy = <Input, E, R>(load: () => Promise<Handler<Input, E, R>>) => (input: Input) =>
  Effect.flatMap(
    Effect.promise(() => Promise.all([load(), import("./Home.ts")])),
    ([handle, { provideHome }]) => provideHome(handle(input))
  )

const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDefault(false), Flag.withDescription(description))

const exits = (...codes: ReadonlyArray<ExitCodeName>) => Command.annotate(ExitCodes, codes)

/** A flag that takes a whole number. */
const whole = (name: string, minimum: number, maximum: number) => {
  const isValid = (text: string) => /^\d{1,9}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
  return Flag.String(name).pipe(
    Flag.filterMap(
      (text) => isValid(text) ? Option.some(Number(text)) : Option.none(),
      () => `a whole number from ${minimum} to ${maximum}`
    )
  )
}

const provider = Argument.String("provider").pipe(
  Argument.withDescription("Provider name, as shown by `credsvc list`")
)

const connectionFlag = Flag.String("connection").pipe(
  Flag.withSchema(ConnectionName),
  Flag.withMetavar("<name>"),
  Flag.withDefault(defaultConnectionName),
  Flag.withDescription("Connection name (default: default)")
)

const lines = (what: string) =>
  whole("lines", 1, 99_999).pipe(
    Flag.withAlias("n"),
    Flag.withMetavar("<count>"),
    Flag.withDescription(what)
  )

const whoami = Command.make("whoami", {}, lazy(() => import("./commands/Whoami.ts").then((m) => m.whoami))).pipe(
  exits("9"),
  Command.withDescription("Show the home directory, the profile and the source of the master key"),
  Command.withExamples([{ command: "credsvc whoami" }, { command: "credsvc whoami --json" }])
)

const doctor = Command.make(
  "doctor",
  {
    probe: toggle("probe", "Also send one request for each connection to its provider, to see whether the key works"),
    trust: toggle(
      "trust",
      "Test which programs on this machine work under `credsvc run` instead; sends nothing to the network"
    )
  },
  lazy(() => import("./commands/Doctor.ts").then((m) => m.doctor))
).pipe(
  exits("9"),
  Command.withDescription("Run health checks; exits 0 if all pass"),
  Command.withExamples([
    { command: "credsvc doctor" },
    { command: "credsvc doctor --probe", description: "Do the providers accept the stored keys?" },
    { command: "credsvc doctor --trust", description: "Test curl, git, Node, Python and other programs" }
  ])
)

const list = Command.make("list", {
  filter: Argument.String("filter").pipe(
    Argument.withDescription("List only providers whose name contains this text"),
    Argument.optional
  ),
  all: toggle("all", "On a terminal, list also the bundled providers without connections")
}, lazy(() => import("./commands/List.ts").then((m) => m.list))).pipe(
  exits("9"),
  Command.withDescription(
    "List providers and their connections. A terminal shows connected and custom providers and counts the others; " +
      "a pipe and --json get all of them"
  ),
  Command.withShortDescription("List providers and their connections"),
  Command.withExamples([
    { command: "credsvc list" },
    { command: "credsvc list git", description: "Providers with \"git\" in their name" },
    { command: "credsvc list --all" },
    {
      command: "credsvc list --json",
      description: "Bundled and custom providers with their connections, for a program"
    }
  ])
)

const inspect = Command.make(
  "inspect",
  { provider },
  lazy(() => import("./commands/Inspect.ts").then((m) => m.inspect))
).pipe(
  exits("4", "9"),
  Command.withDescription("Print a provider's definition and connections as JSON"),
  Command.withExamples([{ command: "credsvc inspect openai" }])
)

const login = Command.make("login", {
  provider: Argument.String("provider").pipe(
    Argument.withDescription("Provider name, as shown by `credsvc list`, or the URL of a remote MCP server"),
    Argument.optional
  ),
  connection: connectionFlag,
  flow: Flag.Literals("flow", FlowKind.literals).pipe(
    Flag.optional,
    Flag.withDescription("Login method to use instead of the provider's default")
  ),
  scopes: Flag.String("scopes").pipe(
    Flag.optional,
    Flag.withMetavar("<s1,s2>"),
    Flag.withDescription("Scopes to request, separated by commas")
  ),
  baseUrl: Flag.String("base-url").pipe(
    Flag.optional,
    Flag.withMetavar("<url>"),
    Flag.withDescription("Base URL of your tenant, for multi-tenant providers")
  ),
  force: toggle("force", "Replace an existing connection without asking"),
  noBrowser: toggle(
    "no-browser",
    "Do not open a browser; print the URL and, on a terminal, ask there"
  ),
  stdin: toggle(
    "stdin",
    "Read the API key or OAuth client credentials from stdin: the bare key or a JSON object of fields"
  ),
  timeout: whole("timeout", 1, 86_400).pipe(
    Flag.optional,
    Flag.withMetavar("<seconds>"),
    Flag.withDescription("Time limit for the login (default: until the login session expires, 10 minutes per step)")
  ),
  check: Flag.Boolean("check").pipe(
    Flag.optional,
    Flag.withDescription(
      "Send the provider's test request with the new credential, and warn when it is refused (default: on a terminal, unless --no-check)"
    )
  ),
  yes: toggle("yes", "Register the provider of a URL without asking"),
  allowInsecureLoopback: toggle(
    "allow-insecure-loopback",
    "Accept an http URL with a literal loopback address, for testing"
  )
}, lazy(() => import("./commands/Login.ts").then((m) => m.login))).pipe(
  exits("4", "6", "8", "9"),
  Command.withDescription(
    "Log in to a provider and store the credential. Secrets are entered in the browser or the terminal, never as arguments"
  ),
  Command.withShortDescription("Log in to a provider and store the credential"),
  Command.withExamples([
    { command: "credsvc login openai" },
    { command: "credsvc login", description: "Choose a provider from a list" },
    { command: "credsvc login openai --connection work", description: "A second connection with its own name" },
    { command: "credsvc login github --flow device_code", description: "Enter a code on any device" },
    {
      command: "credsvc login https://mcp.example.com/mcp",
      description: "A remote MCP server, configured from its metadata"
    },
    { command: "printf %s \"$KEY\" | credsvc login openai --stdin", description: "Without a terminal" }
  ])
)

const get = Command.make("get", {
  provider,
  connection: connectionFlag,
  field: Flag.String("field").pipe(
    Flag.optional,
    Flag.withMetavar("<field>"),
    Flag.withDescription("Print only the value of this field")
  ),
  showSecret: toggle("show-secret", "Reveal secret values; recorded in the audit log")
}, lazy(() => import("./commands/Get.ts").then((m) => m.get))).pipe(
  exits("3", "4", "9"),
  Command.withDescription("Show one connection; secrets are redacted"),
  Command.withExamples([
    { command: "credsvc get openai" },
    { command: "credsvc get openai --field status" },
    { command: "credsvc get openai --field api_key --show-secret", description: "Print the API key" }
  ])
)

const exportCredential = Command.make("export", {
  provider,
  connection: connectionFlag,
  format: Flag.Literals("format", ["env", "shell", "json"]).pipe(
    Flag.optional,
    Flag.withDescription("env: KEY=value lines (default); shell: export lines for eval; json: a JSON object")
  )
}, lazy(() => import("./commands/Export.ts").then((m) => m.exportCredential))).pipe(
  exits("3", "4", "5", "8", "9"),
  Command.withDescription(
    "Print a credential as environment variables; recorded in the audit log. Exports the connection named \"default\" " +
      "unless --connection names another one, whatever set-default has chosen for run"
  ),
  Command.withShortDescription("Print a credential as environment variables"),
  Command.withExamples([
    { command: "credsvc export openai > .env" },
    { command: "eval \"$(credsvc export openai --format shell)\"" }
  ])
)

const run = Command.make("run", {
  connections: Flag.String("connection").pipe(
    Flag.atLeast(0),
    Flag.withMetavar("<provider>=<name>"),
    Flag.withDescription("Use this connection instead of the provider's default; repeatable")
  ),
  providers: Flag.String("provider").pipe(
    Flag.atLeast(0),
    Flag.withMetavar("<name>"),
    Flag.withDescription("Inject credentials for this provider only; repeatable")
  ),
  unmatched: Flag.Literals("unmatched", ["allow", "deny"]).pipe(
    Flag.withDefault("allow"),
    Flag.withDescription("Allow or deny requests to hosts that belong to no provider (default: allow)")
  ),
  profile: Flag.String("profile").pipe(
    Flag.withSchema(ProfileHandle),
    Flag.optional,
    Flag.withMetavar("<handle>"),
    Flag.withDescription("Profile whose connections to use")
  ),
  hooks: Flag.Literals("hook", ["python", "bun", "chromium"]).pipe(
    Flag.atLeast(0),
    Flag.withDescription(
      "Configure clients that ignore environment variables: aiohttp for Python, WebSocket for Bun, Chromium under Playwright or Puppeteer (Linux); repeatable"
    )
  ),
  baseUrl: toggle(
    "base-url",
    "Set base URL variables that SDKs read to local addresses, instead of using a proxy and a certificate"
  ),
  noJava: toggle("no-java", "Do not set JAVA_TOOL_OPTIONS, which makes every JVM print a line"),
  command: Argument.String("command").pipe(
    Argument.variadic({ min: 1 }),
    Argument.withDescription("The command and its arguments, after `--`")
  )
}, lazy(() => import("./commands/Run.ts").then((m) => m.run))).pipe(
  exits("3", "4", "9", "126", "127", "128+n", "…"),
  Command.withDescription(
    "Run a command behind a local proxy that adds your credentials to its requests. The command never sees them. " +
      "Exits with the exit code of the command: 128+n if signal n terminated it, 127 if it was not found, 126 if it " +
      "could not be executed"
  ),
  Command.withShortDescription("Run a command with your credentials added to its requests"),
  Command.withExamples([
    { command: "credsvc run -- python3 agent.py" },
    { command: "credsvc run -- curl https://api.openai.com/v1/models" },
    {
      command: "credsvc run --provider github-token --unmatched deny -- ./task.sh",
      description: "One provider and no other hosts"
    },
    { command: "credsvc run --connection openai=work -- node app.js" },
    {
      command: "credsvc run --base-url -- python3 agent.py",
      description: "For an SDK that accepts no custom certificate"
    }
  ])
)

const scan = Command.make("scan", {
  import: toggle("import", "Store keys that the vault does not have; never replaces a stored key"),
  connection: Flag.String("connection").pipe(
    Flag.withSchema(ConnectionName),
    Flag.optional,
    Flag.withMetavar("<name>"),
    Flag.withDescription("Compare with this connection only, and import under its name")
  ),
  providers: Flag.String("provider").pipe(
    Flag.atLeast(0),
    Flag.withMetavar("<name>"),
    Flag.withDescription("Scan for this provider only; needed to import keys of a custom provider; repeatable")
  )
}, lazy(() => import("./commands/Scan.ts").then((m) => m.scan))).pipe(
  exits("4", "9"),
  Command.withDescription(
    "Find API keys in .env files below the current directory and in the environment, and compare them with the vault. " +
      "Never prints values"
  ),
  Command.withShortDescription("Find API keys in .env files and the environment"),
  Command.withExamples([
    { command: "credsvc scan" },
    { command: "credsvc scan --import", description: "Store the keys that the vault does not have" },
    { command: "credsvc scan --json" }
  ])
)

const logout = Command.make(
  "logout",
  { provider, connection: connectionFlag },
  lazy(() => import("./commands/Logout.ts").then((m) => m.logout))
).pipe(
  exits("3", "4", "9"),
  Command.withDescription("Remove one connection from this machine without contacting the provider"),
  Command.withExamples([{ command: "credsvc logout openai" }, { command: "credsvc logout openai --connection work" }])
)

const yes = toggle("yes", "Do not ask for confirmation")

const revoke = Command.make(
  "revoke",
  { provider, yes },
  lazy(() => import("./commands/Revoke.ts").then((m) => m.revoke))
)
  .pipe(
    exits("4", "8", "9"),
    Command.withDescription(
      "Remove all connections and client credentials of a provider, and revoke them at the provider where supported"
    ),
    Command.withExamples([{ command: "credsvc revoke github-token" }])
  )

const remove = Command.make(
  "remove",
  { provider, yes },
  lazy(() => import("./commands/Remove.ts").then((m) => m.remove))
)
  .pipe(
    exits("4", "9"),
    Command.withDescription("Remove a custom provider, or reset a bundled one to its shipped definition"),
    Command.withExamples([{ command: "credsvc remove my-api" }])
  )

const register = Command.make("register", {
  path: Argument.String("path").pipe(Argument.withDescription("JSON file with the provider definition")),
  force: toggle("force", "Replace an existing provider of the same name without asking"),
  yes: toggle("yes", "Do not ask; fail if the provider already exists"),
  takeOver: Flag.String("take-over").pipe(
    Flag.atLeast(0),
    Flag.withMetavar("<host/path>"),
    Flag.withDescription(
      "Use this provider for a host and path of the definition that a bundled provider claims as well; repeatable"
    )
  ),
  allowInsecureLoopback: toggle(
    "allow-insecure-loopback",
    "Accept http endpoints with literal loopback addresses, for testing"
  )
}, lazy(() => import("./commands/Register.ts").then((m) => m.register))).pipe(
  exits("4", "7", "9"),
  Command.withDescription("Register a custom provider from a JSON file"),
  Command.withExamples([{ command: "credsvc register ./my-api.json" }, {
    command: "credsvc register ./my-api.json --yes"
  }])
)

const setDefault = Command.make("set-default", {
  provider,
  connection: Argument.String("connection").pipe(
    Argument.withSchema(ConnectionName),
    Argument.withDescription("Connection name")
  )
}, lazy(() => import("./commands/SetDefault.ts").then((m) => m.setDefault))).pipe(
  exits("3", "4", "9"),
  Command.withDescription("Set the connection that `run` and library calls use by default"),
  Command.withExamples([{ command: "credsvc set-default openai work" }])
)

const handle = Argument.String("handle").pipe(Argument.withSchema(ProfileHandle))

const profile = Command.make("profile").pipe(
  Command.withDescription("Create, list and switch profiles (separate sets of connections)"),
  Command.withExamples([{ command: "credsvc profile list" }]),
  Command.withSubcommands([
    Command.make(
      "create",
      { handle: handle.pipe(Argument.withDescription("Profile name (default: a generated name)"), Argument.optional) },
      lazy(() => import("./commands/Profile.ts").then((m) => m.create))
    ).pipe(
      exits("4", "9"),
      Command.withDescription("Create a profile with its own identity key"),
      Command.withExamples([{ command: "credsvc profile create" }, { command: "credsvc profile create work" }])
    ),
    Command.make(
      "use",
      { handle: handle.pipe(Argument.withDescription("Profile name")) },
      lazy(() => import("./commands/Profile.ts").then((m) => m.use))
    ).pipe(
      exits("4", "9"),
      Command.withDescription("Set the active profile"),
      Command.withExamples([{ command: "credsvc profile use work" }])
    ),
    Command.make("list", {}, lazy(() => import("./commands/Profile.ts").then((m) => m.list))).pipe(
      exits("9"),
      Command.withDescription("List profiles"),
      Command.withExamples([{ command: "credsvc profile list" }])
    )
  ])
)

const providerCommand = Command.make("provider").pipe(
  Command.withDescription("Create, convert and test provider definitions"),
  Command.withExamples([{ command: "credsvc provider new acme" }, { command: "credsvc provider test my-api.json" }]),
  Command.withSubcommands([
    Command.make(
      "new",
      {
        name: Argument.String("name").pipe(
          Argument.withDescription("Provider name; the file is named after it")
        )
      },
      lazy(() => import("./commands/ProviderNew.ts").then((m) => m.create))
    ).pipe(
      exits("8", "9"),
      Command.withDescription(
        "Create a definition from a few questions or from the metadata of an MCP server. Writes a file to the current " +
          "directory and registers nothing"
      ),
      Command.withShortDescription("Create a definition from a few questions"),
      Command.withExamples([{ command: "credsvc provider new acme" }])
    ),
    Command.make(
      "import",
      { path: Argument.String("path").pipe(Argument.withDescription("File with an authsome provider definition")) },
      bare(() => import("./commands/ProviderImport.ts").then((m) => m.importFile))
    ).pipe(
      exits(),
      Command.withDescription(
        "Convert an authsome provider definition, print it, and list what was changed"
      ),
      Command.withShortDescription("Convert an authsome provider definition"),
      Command.withExamples([{ command: "credsvc provider import linear.json > my-linear.json" }])
    ),
    Command.make(
      "test",
      { path: Argument.String("path").pipe(Argument.withDescription("JSON file with the provider definition")) },
      bare(() => import("./commands/ProviderTest.ts").then((m) => m.test))
    ).pipe(
      exits(),
      Command.withDescription(
        "Test a definition: log in, send requests, refresh and revoke against a fake provider in this process. " +
          "Registers nothing and sends nothing to the network"
      ),
      Command.withShortDescription("Test a definition against a fake provider"),
      Command.withExamples([{ command: "credsvc provider test my-api.json" }])
    )
  ])
)

const ui = Command.make(
  "ui",
  { noBrowser: toggle("no-browser", "Only print the URL") },
  lazy(() => import("./commands/Ui.ts").then((m) => m.ui))
).pipe(
  exits("9"),
  Command.withDescription("Open the dashboard in the browser"),
  Command.withExamples([{ command: "credsvc ui" }, { command: "credsvc ui --no-browser" }])
)

const log = Command.make("log", {
  lines: lines("Number of entries, or of lines with --raw (default: 50)").pipe(Flag.withDefault(50)),
  provider: Flag.String("provider").pipe(
    Flag.optional,
    Flag.withMetavar("<name>"),
    Flag.withDescription("Show only entries of this provider")
  ),
  event: Flag.Literals("event", AuditEvent.literals).pipe(
    Flag.optional,
    Flag.withDescription("Show only entries of this event")
  ),
  since: Flag.String("since").pipe(
    Flag.filterMap(
      (text) => Option.fromUndefinedOr(parseSince(text, DateTime.nowUnsafe())),
      () => "a duration such as 30m, 12h or 7d, or an RFC 3339 time such as 2026-01-31T09:00:00Z"
    ),
    Flag.optional,
    Flag.withMetavar("<duration|time>"),
    Flag.withDescription("Show only entries since then: 30m, 12h, 7d ago, or an RFC 3339 time")
  ),
  utc: toggle("utc", "Show times in UTC instead of how long ago they were"),
  raw: toggle("raw", "Show the debug log of the command line instead of the audit log"),
  verify: toggle("verify", "Verify the integrity of the whole audit log")
}, lazy(() => import("./commands/Log.ts").then((m) => m.log))).pipe(
  exits("9"),
  Command.withDescription("Show the audit log, newest entries last"),
  Command.withExamples([
    { command: "credsvc log -n 20" },
    { command: "credsvc log --provider openai --event export --since 7d" },
    { command: "credsvc log --verify" },
    { command: "credsvc log --raw" }
  ])
)

const host = Flag.String("host").pipe(
  Flag.withMetavar("<address>"),
  Flag.withDefault("127.0.0.1"),
  Flag.withDescription("Address to listen on (default: 127.0.0.1)")
)
const port = whole("port", 0, 65_535).pipe(
  Flag.withMetavar("<port>"),
  Flag.withDefault(7998),
  Flag.withDescription("Port to listen on; 0 picks a free port (default: 7998)")
)

const daemon = Command.make("daemon").pipe(
  Command.withDescription("Manage the background daemon, which other commands start automatically"),
  Command.withExamples([{ command: "credsvc daemon status" }]),
  Command.withSubcommands([
    Command.make(
      "serve",
      { host, port, reload: toggle("reload", "Restart when the program or a provider file changes") },
      lazy(() => import("./commands/DaemonServe.ts").then((m) => m.serve))
    ).pipe(
      exits("4", "9"),
      Command.withDescription("Run the daemon in the foreground"),
      Command.withExamples([{ command: "credsvc daemon serve" }, { command: "credsvc daemon serve --port 0" }])
    ),
    Command.make("start", { host, port }, lazy(() => import("./commands/Daemon.ts").then((m) => m.start))).pipe(
      exits("9"),
      Command.withDescription("Start the daemon in the background"),
      Command.withExamples([{ command: "credsvc daemon start" }, { command: "credsvc daemon start --port 0" }])
    ),
    Command.make("stop", {}, lazy(() => import("./commands/Daemon.ts").then((m) => m.stop))).pipe(
      exits(),
      Command.withDescription("Stop the background daemon"),
      Command.withExamples([{ command: "credsvc daemon stop" }])
    ),
    Command.make("restart", {}, lazy(() => import("./commands/Daemon.ts").then((m) => m.restart))).pipe(
      exits("9"),
      Command.withDescription("Restart the background daemon on the same host and port"),
      Command.withExamples([{ command: "credsvc daemon restart" }])
    ),
    Command.make("status", {}, lazy(() => import("./commands/Daemon.ts").then((m) => m.status))).pipe(
      exits("9"),
      Command.withDescription("Print the daemon's status as JSON; exits 0 if it is running, 9 if not"),
      Command.withExamples([{ command: "credsvc daemon status" }])
    ),
    Command.make(
      "logs",
      { lines: lines("Number of lines (default: 100)").pipe(Flag.withDefault(100)) },
      lazy(() => import("./commands/Daemon.ts").then((m) => m.logs))
    ).pipe(
      exits(),
      Command.withDescription("Show the end of the daemon log"),
      Command.withExamples([{ command: "credsvc daemon logs -n 20" }])
    )
  ])
)

/** The whole command tree, for the commands that describe it. */
const tree = (): Command.Command.Any => cli

const completion = Command.make(
  "completion",
  {
    shell: Argument.Literals("shell", ["bash", "zsh", "fish"]).pipe(Argument.withDescription("bash, zsh or fish"))
  },
  bare(() => import("./commands/Completion.ts").then((m) => m.completion))
).pipe(
  exits(),
  Command.withDescription(
    "Print the completion script for a shell. It completes commands and flags and, while the daemon is running, the " +
      "names of providers, connections and profiles"
  ),
  Command.withShortDescription("Print the completion script for a shell"),
  Command.withExamples([
    { command: "credsvc completion bash > ~/.local/share/bash-completion/completions/credsvc" },
    { command: "credsvc completion zsh > ~/.zfunc/_credsvc", description: "Requires ~/.zfunc in your fpath" },
    { command: "credsvc completion fish > ~/.config/fish/completions/credsvc.fish" },
    { command: "eval \"$(credsvc completion bash)\"", description: "For this shell only" }
  ])
)

const help = Command.make("help", {
  command: Argument.String("command").pipe(
    Argument.variadic(),
    Argument.withDescription("Command, or topic: run, flows, profiles or security")
  )
}, bare(() => import("./commands/Help.ts").then((m) => m.help(tree)))).pipe(
  exits(),
  Command.withDescription("Show help for a command or a topic"),
  Command.withExamples([
    { command: "credsvc help" },
    { command: "credsvc help run" },
    { command: "credsvc help security", description: "A topic: run, flows, profiles or security" }
  ])
)

export const cli = Command.make("credsvc").pipe(
  Command.withDescription("Stores API credentials on this machine and lets programs use them without seeing them"),
  Command.withExamples([
    { command: "credsvc login openai" },
    { command: "credsvc run -- python3 agent.py" }
  ]),
  Command.withGlobalFlags(declarations),
  Command.withSubcommands([
    { group: "Credentials", commands: [login, run, list, get, exportCredential, scan, logout, setDefault, revoke] },
    { group: "Providers", commands: [inspect, register, remove, providerCommand] },
    { group: "State", commands: [whoami, doctor, log, ui] },
    { group: "Setup", commands: [profile, daemon, completion, help] }
  ])
)
