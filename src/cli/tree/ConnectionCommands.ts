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
import { calls, described, fails, lazy, prints, printsDocument, programArguments } from "./CommandParts.ts"
import { operationCommand } from "./OperationCommand.ts"
import * as Param from "./Param.ts"

export const list = Command.make("list", {
  filter: Param.argument("filter", "List only providers whose name contains this text").pipe(Argument.optional),
  all: Param.toggle("all", "On a terminal, also list bundled providers without connections")
}, lazy(() => import("../commands/List.ts").then((m) => m.list))).pipe(
  calls(["providers.list", "connections.list"]),
  printsDocument("the providers with their connections, and separately the providers with custom definitions"),
  described(
    "List providers and their connections. A terminal shows connected and custom providers and counts the others; " +
      "a pipe and --json get all of them",
    `
  credsvc list
  credsvc list git  # Providers with "git" in their name
  credsvc list --all
  credsvc list --json  # Bundled and custom providers with their connections, for a program`,
    "List providers and their connections"
  )
)

export const login = Command.make("login", {
  provider: Param.argument("provider", "Provider name, as shown by `credsvc list`, or the URL of a remote MCP server")
    .pipe(Argument.optional),
  connection: Param.connectionFlag.pipe(Flag.map(Option.getOrElse(() => defaultConnectionName))),
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
        "a program that embeds credsvc provides"
    )
  ),
  scopes: Param.optional("scopes", "Scopes to request, separated by commas", "<s1,s2>"),
  addScopes: Param.optional(
    "add-scopes",
    "Scopes to request in addition to those of the connection, which the login replaces",
    "<s1,s2>"
  ),
  baseUrl: Param.optional(
    "base-url",
    "Base URL of your tenant, for multi-tenant providers, or the name of a region",
    "<url>"
  ),
  redirectHost: Param.optional(
    Flag.Literals("redirect-host", RedirectHost.literals),
    "Host of the redirect URI, if your OAuth app is registered with only one host (default: what the provider needs)"
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
    "Do not open a browser; print the URL. On a terminal, ask there for the credential or the address of the last page"
  ),
  stdin: Param.toggle(
    "stdin",
    "Read the API key or OAuth client credentials from stdin: the bare key or a JSON object of fields"
  ),
  timeout: Param.optional(
    Param.whole("timeout", 1, 86_400),
    "Time limit for the login (default: until the login session expires, 10 minutes per step)",
    "<seconds>"
  ),
  check: Param.optional(
    Flag.Boolean("check"),
    "Send the provider's test request with the new credential, and warn when it is refused (default: on a terminal, unless --no-check). With --check, exits 5 then"
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
    "What the credential command prints: text, its first line is the key (default); json, an object with the fields; " +
      "credential_process, the JSON that AWS tools expect"
  ),
  commandValues: Param.repeatable(
    "command-value",
    "With --command-output json: JSON pointer to a field; repeatable (default: /<field>)",
    "<field>=</pointer>"
  ),
  commandExpiry: Param.optional(
    "command-expiry",
    "With --command-output json: JSON pointer to the seconds or the time at which the credential expires",
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
      "providers.register",
      "credentials.adopt",
      "credentials.restore",
      "connections.get",
      "connections.check"
    ]
  ),
  printsDocument("the connection, or with --undo the restored file"),
  described(
    "Log in to a provider and store the credential. Secrets are entered in the browser or the terminal, never as arguments",
    `
  credsvc login openai
  credsvc login  # Choose a provider from a list
  credsvc login openai --connection work  # A second connection with its own name
  credsvc login github --flow device_code  # Enter a code on any device
  credsvc login https://mcp.example.com/mcp  # A remote MCP server, configured from its metadata
  printf %s "$KEY" | credsvc login openai --stdin  # Without a terminal
  credsvc login claude-code --adopt  # Take over the login of Claude Code
  credsvc login openai --flow credential_command -- op read op://Work/OpenAI/key  # The daemon runs a program that prints the key`,
    "Log in to a provider and store the credential"
  )
)

export const get = Command.make("get", {
  provider: Param.provider,
  connection: Param.connectionFlag,
  field: Param.optional("field", "Print only the value of this field", "<field>"),
  showSecret: Param.toggle("show-secret", "Reveal secret values; recorded in the audit log")
}, lazy(() => import("../commands/Get.ts").then((m) => m.get))).pipe(
  calls(["connections.get", "connections.list"]),
  prints("connections.get"),
  described(
    "Show one connection; secrets are redacted",
    `
  credsvc get openai
  credsvc get openai --field status
  credsvc get openai --field api_key --show-secret  # Print the API key`
  )
)

export const exportCredential = Command.make("export", {
  provider: Param.provider,
  connection: Param.connectionFlag,
  format: Param.optional(
    Flag.Literals("format", ["env", "shell", "json"]),
    "env: KEY=value lines (default); shell: export lines for eval; json: a JSON object"
  )
}, lazy(() => import("../commands/Export.ts").then((m) => m.exportCredential))).pipe(
  calls(["credentials.export", "connections.list"]),
  printsDocument("the variables and their values"),
  described(
    "Print a credential as environment variables; recorded in the audit log. Exports the connection named \"default\" " +
      "unless --connection names another connection, regardless of set-default",
    `
  credsvc export openai > .env
  eval "$(credsvc export openai --format shell)"`,
    "Print a credential as environment variables"
  )
)

export const run = Command.make("run", {
  connections: Param.assignments,
  providers: Param.repeatable("provider", "Inject credentials for this provider only; repeatable", "<name>"),
  unmatched: Param.unmatched,
  ...Param.ruleFlags,
  ask: Param.toggle(
    "ask",
    "Let requests outside the rules wait for your answer, up to 2 minutes, see `credsvc approve` (Linux)"
  ),
  record: Param.optional(
    Param.path("record"),
    "At the end, write the rules that the requests of the run needed to a file for --rules; an existing file keeps " +
      "its rules"
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
  profile: Param.optional(
    Flag.String("profile").pipe(Flag.withSchema(ProfileHandle)),
    "Profile whose connections to use",
    "<handle>"
  ),
  hooks: Param.repeatable(
    Flag.Literals("hook", ["python", "bun", "chromium", "mcp"]),
    "Configure clients that ignore environment variables: aiohttp for Python, WebSocket for Bun, Chromium under Playwright or Puppeteer (Linux), MCP servers that get a cleaned environment (Linux); repeatable"
  ),
  baseUrl: Param.toggle(
    "base-url",
    "Point the base URL variables of SDKs to local addresses, instead of using a proxy and a certificate"
  ),
  noJava: Param.toggle("no-java", "Do not set JAVA_TOOL_OPTIONS, which makes every JVM print a line"),
  contain: Param.toggle(
    "contain",
    "Run the command in a container of its own (Linux): no network but this proxy, and no access to your credential files"
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
  noRecipe: Param.toggle("no-recipe", "Do not apply the recipe of the program, see `credsvc recipes list`"),
  command: Param.argument("command", "The command and its arguments, after `--`").pipe(Argument.variadic({ min: 1 }))
}, lazy(() => import("../commands/Run.ts").then((m) => m.run))).pipe(
  programArguments,
  calls(["runs.register", "proxy.routes", "connections.get", "connections.list"], "126", "127", "128+n", "…"),
  described(
    "Run a command behind a local proxy that adds your credentials to its requests. The command never sees them. " +
      "Exits with the exit code of the command: 128+n if signal n terminated it, 127 if it was not found, 126 if it " +
      "could not be executed",
    `
  credsvc run -- python3 agent.py
  credsvc run -- curl https://api.openai.com/v1/models
  credsvc run --provider github-token --unmatched deny -- ./task.sh  # One provider and no other hosts
  credsvc run --allow 'GET api.github.com/repos/acme/**' --expires 30m -- claude  # Read the repositories of one owner, for half an hour
  credsvc run --record rules.json -- ./task.sh  # Learn which requests a task needs, then limit it: credsvc run --rules rules.json -- ./task.sh
  credsvc run --contain --read-only --ask -- claude  # Read only; other requests wait for: credsvc approve
  credsvc run --connection openai=work -- node app.js
  credsvc run --contain -- npm test  # No network but the proxy, no access to credential files (Linux)
  credsvc run --base-url -- python3 agent.py  # For an SDK that accepts no custom certificate`,
    "Run a command with your credentials added to its requests"
  )
)

export const scan = Command.make("scan", {
  import: Param.toggle("import", "Store keys that the vault does not have; never replaces a stored key"),
  replace: Param.toggle(
    "replace",
    "With --import: replace the keys in the files by placeholders, which work only in credsvc run"
  ),
  undo: Param.toggle("undo", "Restore the files whose keys were replaced, byte for byte"),
  force: Param.toggle("force", "With --undo: also restore files that have changed since, and discard these changes"),
  connection: Param.optional(
    Flag.String("connection").pipe(Flag.withSchema(ConnectionName)),
    "Compare with this connection only, and import under its name",
    "<name>"
  ),
  providers: Param.repeatable(
    "provider",
    "Scan for this provider only; needed to import keys of a custom provider; repeatable",
    "<name>"
  )
}, lazy(() => import("../commands/Scan.ts").then((m) => m.scan))).pipe(
  calls([
    "credentials.scan",
    "providers.list",
    "connections.list",
    "proxy.routes",
    "credentials.keep",
    "credentials.restore",
    "system.whoami"
  ]),
  printsDocument(
    "the report, with --replace also the files that now have placeholders; with --undo the restored files; with " +
      "either option, also the files that were not changed"
  ),
  described(
    "Find API keys in the environment and below the current directory, in .env files, the configuration of MCP servers, .npmrc, " +
      "Docker's config.json and hosts.yml of gh, and compare them with the vault. Never prints values",
    `
  credsvc scan
  credsvc scan --import  # Store the keys that the vault does not have
  credsvc scan --import --replace  # Also put placeholders into the files
  credsvc scan --json`,
    "Find API keys in .env files and the environment"
  )
)

export const mcp = Command.make("mcp", {}, lazy(() => import("../mcp/Mcp.ts").then((m) => m.mcp))).pipe(
  fails(),
  described(
    "Serve tools to an agent over stdin and stdout, as an MCP server. They tell the agent which APIs it can use, with which " +
      "placeholders, and let it ask you for a login. They never return a credential",
    `
  claude mcp add --scope user credsvc -- credsvc mcp  # In Claude Code
  codex mcp add credsvc -- credsvc mcp  # In Codex`,
    "Tell an agent which APIs it can use (MCP server)"
  )
)

export const logout = operationCommand("connections.logout", {
  args: { connection: Param.connectionFlag },
  defaults: { connection: defaultConnectionName },
  prepare: () => import("../commands/Confirmations.ts").then((m) => m.logout),
  alsoCalls: ["connections.list"],
  summary: "Remove one connection from this machine without contacting the provider",
  examples: `
  credsvc logout openai
  credsvc logout openai --connection work`,
  text: ({ connection, new_default, provider }, output) =>
    Effect.andThen(
      output.note(`Removed connection "${connection}" of ${provider}.`),
      new_default === null
        ? Effect.void
        : output.tell(`The default connection of ${provider} is now "${new_default}".`)
    )
})

export const revoke = operationCommand("connections.revoke", {
  flags: { yes: Param.yes },
  prepare: () => import("../commands/Confirmations.ts").then((m) => m.revoke),
  alsoCalls: ["connections.list"],
  summary:
    "Remove all connections and client credentials of a provider, and revoke them at the provider where supported",
  examples: "credsvc revoke github-token",
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
  examples: "credsvc set-default openai work",
  text: ({ default_connection, provider }, output) =>
    output.note(`The default connection of ${provider} is now "${default_connection}".`)
})

export const setContainedOnly = operationCommand("connections.setContainedOnly", {
  description:
    "Allow only contained runs to use a connection: its credential is neither shown nor exported, and no other run gets it. " +
    "Only another login with --no-contained-only undoes this",
  examples: "credsvc set-contained-only openai work",
  text: ({ connection, provider }, output) =>
    output.note(`The connection "${connection}" of ${provider} is now for contained runs only.`)
})
