/**
 * The commands that store, use and remove connections: `list`, `login`, `get`, `export`, `run`, `scan`, `mcp`, `logout` and
 * `revoke`.
 */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { defaultConnectionName } from "../../domain/wire/Names.ts"
import { loginParams, runParams, scanParams } from "./CommandInputs.ts"
import { command, lazy } from "./CommandParts.ts"
import { operationCommand } from "./OperationCommand.ts"
import * as Param from "./Param.ts"

export const list = command("list", {
  params: {
    filter: Param.argument("filter", "List only providers whose name contains this text").pipe(Argument.optional),
    all: Param.toggle("all", "On a terminal, also list bundled providers without connections")
  },
  handler: lazy(() => import("../commands/List.ts").then((m) => m.listProviders)),
  calls: ["providers.list", "connections.list"],
  document: "the providers with their connections, and separately the providers with custom definitions",
  description:
    "List providers and their connections. A terminal shows connected and custom providers and counts the others; " +
    "a pipe and --json get all of them",
  summary: "List providers and their connections",
  examples: `
  credsvc list
  credsvc list git  # Providers with "git" in their name
  credsvc list --all
  credsvc list --json  # Bundled and custom providers with their connections, for a program`
})

export const login = command("login", {
  params: loginParams,
  handler: lazy(() => import("../commands/Login.ts").then((m) => m.login)),
  startsProgram: true,
  calls: [
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
  ],
  document: "the connection, or with --undo the restored file",
  description:
    "Log in to a provider and store the credential. Secrets are entered in the browser or the terminal, never as arguments",
  summary: "Log in to a provider and store the credential",
  examples: `
  credsvc login openai
  credsvc login  # Choose a provider from a list
  credsvc login openai --connection work  # A second connection with its own name
  credsvc login github --flow device_code  # Enter a code on any device
  credsvc login https://mcp.example.com/mcp  # A remote MCP server, configured from its metadata
  printf %s "$KEY" | credsvc login openai --stdin  # Without a terminal
  credsvc login claude-code --adopt  # Take over the login of Claude Code
  credsvc login openai --flow credential_command -- op read op://Work/OpenAI/key  # The daemon runs a program that prints the key`
})

export const get = command("get", {
  params: {
    provider: Param.provider,
    connection: Param.connectionFlag,
    field: Param.optional("field", "Print only the value of this field", "<field>"),
    showSecret: Param.toggle("show-secret", "Reveal secret values; recorded in the audit log")
  },
  handler: lazy(() => import("../commands/Get.ts").then((m) => m.getConnection)),
  calls: ["connections.get", "connections.list"],
  prints: "connections.get",
  description: "Show one connection; secrets are redacted",
  examples: `
  credsvc get openai
  credsvc get openai --field status
  credsvc get openai --field api_key --show-secret  # Print the API key`
})

export const exportCredential = operationCommand("credentials.export", {
  args: {
    provider: Param.provider,
    connection: Param.connectionFlag,
    format: Param.optional(
      Flag.Literals("format", ["env", "shell", "json"]),
      "env: KEY=value lines (default); shell: export lines for eval; json: a JSON object"
    )
  },
  defaults: { connection: defaultConnectionName, format: "env" },
  prepare: () => import("../commands/Confirmations.ts").then((m) => m.warnUnnamed),
  alsoCalls: ["connections.list"],
  description:
    "Print a credential as environment variables; recorded in the audit log. Exports the connection named \"default\" " +
    "unless --connection names another connection, regardless of set-default",
  summary: "Print a credential as environment variables",
  examples: `
  credsvc export openai > .env
  eval "$(credsvc export openai --format shell)"`,
  document: { is: "the variables and their values", of: ({ variables }) => variables },
  text: ({ output: text }, output) => output.raw(text)
})

export const run = command("run", {
  params: runParams,
  handler: lazy(() => import("../commands/Run.ts").then((m) => m.run)),
  startsProgram: true,
  calls: ["runs.register", "proxy.routes", "connections.get", "connections.list"],
  fails: ["126", "127", "128+n", "…"],
  description:
    "Run a command behind a local proxy that adds your credentials to its requests. The command never sees them. " +
    "Exits with the exit code of the command: 128+n if signal n terminated it, 127 if it was not found, 126 if it " +
    "could not be executed",
  summary: "Run a command with your credentials added to its requests",
  examples: `
  credsvc run -- python3 agent.py
  credsvc run -- curl https://api.openai.com/v1/models
  credsvc run --provider github-token --unmatched deny -- ./task.sh  # One provider and no other hosts
  credsvc run --allow 'GET api.github.com/repos/acme/**' --expires 30m -- claude  # Read the repositories of one owner, for half an hour
  credsvc run --record rules.json -- ./task.sh  # Learn which requests a task needs, then limit it: credsvc run --rules rules.json -- ./task.sh
  credsvc run --contain --read-only --ask -- claude  # Read only; other requests wait for: credsvc approve
  credsvc run --connection openai=work -- node app.js
  credsvc run --contain -- npm test  # No network but the proxy, no access to credential files (Linux)
  credsvc run --base-url -- python3 agent.py  # For an SDK that accepts no custom certificate`
})

export const scan = command("scan", {
  params: scanParams,
  handler: lazy(() => import("../commands/Scan.ts").then((m) => m.scan)),
  calls: [
    "credentials.scan",
    "providers.list",
    "connections.list",
    "proxy.routes",
    "credentials.keep",
    "credentials.restore",
    "system.whoami"
  ],
  document:
    "the report, with --replace also the files that now have placeholders; with --undo the restored files; with " +
    "either option, also the files that were not changed",
  description:
    "Find API keys in the environment and below the current directory, in .env files, the configuration of MCP servers, .npmrc, " +
    "Docker's config.json and hosts.yml of gh, and compare them with the vault. Never prints values",
  summary: "Find API keys in .env files and the environment",
  examples: `
  credsvc scan
  credsvc scan --import  # Store the keys that the vault does not have
  credsvc scan --import --replace  # Also put placeholders into the files
  credsvc scan --json`
})

export const mcp = command("mcp", {
  handler: lazy(() => import("../mcp/Mcp.ts").then((m) => m.mcp)),
  description:
    "Serve tools to an agent over stdin and stdout, as an MCP server. They tell the agent which APIs it can use, with which " +
    "placeholders, and let it ask you for a login. They never return a credential",
  summary: "Tell an agent which APIs it can use (MCP server)",
  examples: `
  claude mcp add --scope user credsvc -- credsvc mcp  # In Claude Code
  codex mcp add credsvc -- credsvc mcp  # In Codex`
})

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
  text: Effect.fnUntraced(function*({ connections, failures, provider, provider_contacted }, output) {
    if (connections.length === 0) yield* output.note(`${provider} has no connections.`)
    else yield* output.note(`Removed ${connections.join(", ")} of ${provider}.`)
    if (connections.length > 0 && failures.length === 0) {
      yield* output.note(
        provider_contacted
          ? `${provider} confirmed the revocation.`
          : `${provider} was not contacted: revoke the credentials on its website.`
      )
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
