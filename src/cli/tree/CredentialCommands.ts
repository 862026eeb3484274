import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ConnectionName } from "../../domain/wire/Connection.ts"
import { CommandOutput } from "../../domain/wire/CredentialCommand.ts"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import { ProfileHandle } from "../../domain/wire/Profile.ts"
import { RedirectHost } from "../../domain/wire/ProviderName.ts"
import { builtInFlows, isFlow } from "../../domain/wire/ProviderName.ts"
import {
  assignments,
  calls,
  connectionFlag,
  duration,
  fails,
  lazy,
  path,
  prints,
  printsDocument,
  programArguments,
  provider,
  ruleFlags,
  strict,
  toggle,
  unmatched,
  whole,
  yes
} from "./CommandParts.ts"
import { operationCommand } from "./OperationCommand.ts"

export const list = Command.make("list", {
  filter: Argument.String("filter").pipe(
    Argument.withDescription("List only providers whose name contains this text"),
    Argument.optional
  ),
  all: toggle("all", "On a terminal, list also the bundled providers without connections")
}, lazy(() => import("../commands/List.ts").then((m) => m.list))).pipe(
  calls(["providers.list", "connections.list"]),
  printsDocument("the providers with their connections, those of custom definitions separately"),
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

export const login = Command.make("login", {
  provider: Argument.String("provider").pipe(
    Argument.withDescription("Provider name, as shown by `credsvc list`, or the URL of a remote MCP server"),
    Argument.optional
  ),
  connection: connectionFlag.pipe(Flag.map(Option.getOrElse(() => defaultConnectionName))),
  flow: Flag.String("flow").pipe(
    Flag.filterMap(
      (text) => isFlow(text) ? Option.some(text) : Option.none(),
      () => `${builtInFlows.join(", ")}, or a name with a dot`
    ),
    Flag.optional,
    Flag.withMetavar("<method>"),
    Flag.withDescription(
      `Login method to use instead of the provider's default: ${
        builtInFlows.join(", ")
      }, or a name with a dot, which ` +
        "belongs to a program that embeds credsvc"
    )
  ),
  scopes: Flag.String("scopes").pipe(
    Flag.optional,
    Flag.withMetavar("<s1,s2>"),
    Flag.withDescription("Scopes to request, separated by commas")
  ),
  addScopes: Flag.String("add-scopes").pipe(
    Flag.optional,
    Flag.withMetavar("<s1,s2>"),
    Flag.withDescription("Scopes to request in addition to those of the connection, which the login replaces")
  ),
  baseUrl: Flag.String("base-url").pipe(
    Flag.optional,
    Flag.withMetavar("<url>"),
    Flag.withDescription("Base URL of your tenant, for multi-tenant providers, or the name of a region")
  ),
  redirectHost: Flag.Literals("redirect-host", RedirectHost.literals).pipe(
    Flag.optional,
    Flag.withDescription(
      "Host of the redirect URI, if the provider knows your OAuth app with one of them only (default: as the provider needs)"
    )
  ),
  trustIssuer: Flag.String("trust-issuer").pipe(
    Flag.optional,
    Flag.withMetavar("<url>"),
    Flag.withDescription("Accept this issuer, too, where the authorization server names another one than expected")
  ),
  noResource: toggle(
    "no-resource",
    "Leave out the OAuth parameter `resource`, for a server whose login page reports it as an error"
  ),
  clientId: Flag.String("client-id").pipe(
    Flag.optional,
    Flag.withMetavar("<url>"),
    Flag.withDescription(
      "Log in with the client ID metadata document at this https URL (default: client_id of config.json)"
    )
  ),
  force: toggle("force", "Replace an existing connection without asking"),
  noBrowser: toggle(
    "no-browser",
    "Do not open a browser; print the URL and, on a terminal, ask there, also for the address that the browser ends at"
  ),
  stdin: toggle(
    "stdin",
    "Read the API key or OAuth client credentials from stdin: the bare key or a JSON object of fields"
  ),
  fields: Flag.String("field").pipe(
    Flag.atLeast(0),
    Flag.withMetavar("<name>=<value>"),
    Flag.withDescription(
      "Enter a field of the login; =@<file> reads it from a file, which a secret field requires; repeatable"
    )
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
  containedOnly: Flag.Boolean("contained-only").pipe(
    Flag.optional,
    Flag.withDescription(
      "Allow only contained runs to use the connection; --no-contained-only allows all again (default: as before)"
    )
  ),
  yes: toggle("yes", "Register the provider of a URL without asking"),
  allowInsecureLoopback: toggle(
    "allow-insecure-loopback",
    "Accept an http URL with a literal loopback address, for testing"
  ),
  commandOutput: Flag.Literals("command-output", CommandOutput.literals).pipe(
    Flag.optional,
    Flag.withDescription(
      "What the credential command prints: text, its first line is the key (default); json, an object with the fields; " +
        "credential_process, the JSON that AWS tools expect"
    )
  ),
  commandValues: Flag.String("command-value").pipe(
    Flag.atLeast(0),
    Flag.withMetavar("<field>=</pointer>"),
    Flag.withDescription("With --command-output json: JSON pointer to a field; repeatable (default: /<field>)")
  ),
  commandExpiry: Flag.String("command-expiry").pipe(
    Flag.optional,
    Flag.withMetavar("</pointer>"),
    Flag.withDescription(
      "With --command-output json: JSON pointer to the seconds or the time at which the credential expires"
    )
  ),
  commandLifetime: whole("command-lifetime", 10, 31_536_000).pipe(
    Flag.optional,
    Flag.withMetavar("<seconds>"),
    Flag.withDescription("Run the credential command again after this time, if its output states no expiry")
  ),
  command: Argument.String("command").pipe(
    Argument.variadic(),
    Argument.withDescription(
      "With --flow credential_command: a program that prints the credential, and its arguments, after `--`"
    )
  )
}, lazy(() => import("../commands/Login.ts").then((m) => m.login))).pipe(
  programArguments,
  calls(
    [
      "auth.start",
      "auth.get",
      "auth.resume",
      "auth.cancel",
      "providers.list",
      "providers.get",
      "providers.check",
      "providers.discover",
      "providers.register"
    ]
  ),
  prints("connections.get"),
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
    { command: "printf %s \"$KEY\" | credsvc login openai --stdin", description: "Without a terminal" },
    {
      command: "credsvc login openai --flow credential_command -- op read op://Work/OpenAI/key",
      description: "With a program that prints the key, which the daemon runs"
    }
  ])
)

export const get = Command.make("get", {
  provider,
  connection: connectionFlag,
  field: Flag.String("field").pipe(
    Flag.optional,
    Flag.withMetavar("<field>"),
    Flag.withDescription("Print only the value of this field")
  ),
  showSecret: toggle("show-secret", "Reveal secret values; recorded in the audit log")
}, lazy(() => import("../commands/Get.ts").then((m) => m.get))).pipe(
  calls(["connections.get", "connections.list"]),
  prints("connections.get"),
  Command.withDescription("Show one connection; secrets are redacted"),
  Command.withExamples([
    { command: "credsvc get openai" },
    { command: "credsvc get openai --field status" },
    { command: "credsvc get openai --field api_key --show-secret", description: "Print the API key" }
  ])
)

export const exportCredential = Command.make("export", {
  provider,
  connection: connectionFlag,
  format: Flag.Literals("format", ["env", "shell", "json"]).pipe(
    Flag.optional,
    Flag.withDescription("env: KEY=value lines (default); shell: export lines for eval; json: a JSON object")
  )
}, lazy(() => import("../commands/Export.ts").then((m) => m.exportCredential))).pipe(
  calls(["credentials.export", "connections.list"]),
  printsDocument("the variables and their values"),
  Command.withDescription(
    "Print a credential as environment variables; recorded in the audit log. Exports the connection named \"default\" " +
      "unless --connection names another one, regardless of set-default"
  ),
  Command.withShortDescription("Print a credential as environment variables"),
  Command.withExamples([
    { command: "credsvc export openai > .env" },
    { command: "eval \"$(credsvc export openai --format shell)\"" }
  ])
)

export const run = Command.make("run", {
  connections: assignments,
  providers: Flag.String("provider").pipe(
    Flag.atLeast(0),
    Flag.withMetavar("<name>"),
    Flag.withDescription("Inject credentials for this provider only; repeatable")
  ),
  unmatched,
  ...ruleFlags,
  ask: toggle(
    "ask",
    "Let requests outside the rules wait for your answer, up to 2 minutes, see `credsvc approve` (Linux)"
  ),
  record: path("record").pipe(
    Flag.optional,
    Flag.withDescription(
      "At the end, write the least rules that the requests of the run needed to a file for --rules; an existing file keeps " +
        "its rules"
    )
  ),
  strict,
  maxUses: whole("max-uses", 1, 999_999_999).pipe(
    Flag.optional,
    Flag.withMetavar("<count>"),
    Flag.withDescription("Add credentials to this many requests only; later ones are refused")
  ),
  expires: duration("expires").pipe(
    Flag.optional,
    Flag.withDescription("Add credentials for this time only, from 1m to 30d; later requests are refused")
  ),
  profile: Flag.String("profile").pipe(
    Flag.withSchema(ProfileHandle),
    Flag.optional,
    Flag.withMetavar("<handle>"),
    Flag.withDescription("Profile whose connections to use")
  ),
  hooks: Flag.Literals("hook", ["python", "bun", "chromium", "mcp"]).pipe(
    Flag.atLeast(0),
    Flag.withDescription(
      "Configure clients that ignore environment variables: aiohttp for Python, WebSocket for Bun, Chromium under Playwright or Puppeteer (Linux), MCP servers that get a cleaned environment (Linux); repeatable"
    )
  ),
  baseUrl: toggle(
    "base-url",
    "Point the base URL variables of SDKs to local addresses, instead of using a proxy and a certificate"
  ),
  noJava: toggle("no-java", "Do not set JAVA_TOOL_OPTIONS, which makes every JVM print a line"),
  contain: toggle(
    "contain",
    "Run the command in a container of its own (Linux): no network but this proxy, and no access to your credential files"
  ),
  noContain: toggle("no-contain", "Do not contain this run, although run.contain is set in config.json"),
  write: path("write", "<path>").pipe(
    Flag.atLeast(0),
    Flag.withDescription("With --contain: allow the command to write to this path; repeatable")
  ),
  hide: path("hide", "<path>").pipe(
    Flag.atLeast(0),
    Flag.withDescription("With --contain: hide this path from the command; repeatable")
  ),
  allowPorts: whole("allow-port", 1, 65_535).pipe(
    Flag.atLeast(0),
    Flag.withMetavar("<port>"),
    Flag.withDescription("With --contain: allow the command to connect to this port of the machine; repeatable")
  ),
  noRecipe: toggle("no-recipe", "Do not apply the recipe of the program, see `credsvc recipes list`"),
  command: Argument.String("command").pipe(
    Argument.variadic({ min: 1 }),
    Argument.withDescription("The command and its arguments, after `--`")
  )
}, lazy(() => import("../commands/Run.ts").then((m) => m.run))).pipe(
  programArguments,
  calls(["runs.register", "proxy.routes", "connections.get", "connections.list"], "126", "127", "128+n", "…"),
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
    {
      command: "credsvc run --allow 'GET api.github.com/repos/acme/**' --expires 30m -- claude",
      description: "Read the repositories of one owner, for half an hour"
    },
    {
      command: "credsvc run --record rules.json -- ./task.sh",
      description: "Learn which requests a task needs, then limit it: credsvc run --rules rules.json -- ./task.sh"
    },
    {
      command: "credsvc run --contain --read-only --ask -- claude",
      description: "Read only; anything else waits for: credsvc approve"
    },
    { command: "credsvc run --connection openai=work -- node app.js" },
    {
      command: "credsvc run --contain -- npm test",
      description: "No network but the proxy, no access to credential files (Linux)"
    },
    {
      command: "credsvc run --base-url -- python3 agent.py",
      description: "For an SDK that accepts no custom certificate"
    }
  ])
)

export const scan = Command.make("scan", {
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
}, lazy(() => import("../commands/Scan.ts").then((m) => m.scan))).pipe(
  calls(["credentials.scan", "providers.list"]),
  prints("credentials.scan"),
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

export const mcp = Command.make("mcp", {}, lazy(() => import("../mcp/Mcp.ts").then((m) => m.mcp))).pipe(
  fails(),
  Command.withDescription(
    "Serve tools to an agent over stdin and stdout, as an MCP server. They tell the agent which APIs it can use, with which " +
      "placeholders, and let it ask you for a login. They never return a credential"
  ),
  Command.withShortDescription("Tell an agent which APIs it can use (MCP server)"),
  Command.withExamples([
    { command: "claude mcp add --scope user credsvc -- credsvc mcp", description: "In Claude Code" },
    { command: "codex mcp add credsvc -- credsvc mcp", description: "In Codex" }
  ])
)

export const logout = operationCommand("connections.logout", {
  args: { connection: connectionFlag },
  defaults: { connection: defaultConnectionName },
  prepare: () => import("../commands/Confirmations.ts").then((m) => m.logout),
  alsoCalls: ["connections.list"],
  summary: "Remove one connection from this machine without contacting the provider",
  examples: [{ command: "credsvc logout openai" }, { command: "credsvc logout openai --connection work" }],
  text: ({ connection, new_default, provider }, output) =>
    Effect.andThen(
      output.note(`Removed connection "${connection}" of ${provider}.`),
      new_default === null
        ? Effect.void
        : output.tell(`The default connection of ${provider} is now "${new_default}".`)
    )
})

export const revoke = operationCommand("connections.revoke", {
  flags: { yes },
  prepare: () => import("../commands/Confirmations.ts").then((m) => m.revoke),
  alsoCalls: ["connections.list"],
  summary:
    "Remove all connections and client credentials of a provider, and revoke them at the provider where supported",
  examples: [{ command: "credsvc revoke github-token" }],
  text: ({ connections, failures, provider, provider_contacted }, output) =>
    Effect.gen(function*() {
      if (connections.length === 0) yield* output.note(`${provider} has no connections.`)
      else {
        yield* output.note(`Removed ${connections.join(", ")} of ${provider}.`)
        if (failures.length === 0) {
          yield* output.note(
            provider_contacted
              ? `${provider} confirmed the revocation.`
              : `${provider} was not contacted: revoke the credentials on its website.`
          )
        }
      }
      for (const failure of failures) yield* output.warn(failure)
    })
})

export const setDefault = operationCommand("connections.setDefault", {
  summary: "Set the connection that `run` and library calls use by default",
  examples: [{ command: "credsvc set-default openai work" }],
  text: ({ default_connection, provider }, output) =>
    output.note(`The default connection of ${provider} is now "${default_connection}".`)
})

export const setContainedOnly = operationCommand("connections.setContainedOnly", {
  description:
    "Allow only contained runs to use a connection: its credential is neither shown nor exported, and no other run gets it. " +
    "Only another login with --no-contained-only undoes this",
  examples: [{ command: "credsvc set-contained-only openai work" }],
  text: ({ connection, provider }, output) =>
    output.note(`The connection "${connection}" of ${provider} is now for contained runs only.`)
})
