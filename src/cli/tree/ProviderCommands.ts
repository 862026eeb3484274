import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { bare, calls, fails, lazy, printsDocument, provider, toggle, yes } from "./CommandParts.ts"
import { operationCommand } from "./OperationCommand.ts"

export const inspect = Command.make(
  "inspect",
  { provider },
  lazy(() => import("../commands/Inspect.ts").then((m) => m.inspect))
).pipe(
  calls(["providers.get", "connections.list"]),
  printsDocument("the definition of the provider, and its connections"),
  Command.withDescription("Print a provider's definition and connections as JSON"),
  Command.withExamples([{ command: "credsvc inspect openai" }])
)

export const register = Command.make("register", {
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
}, lazy(() => import("../commands/provider/Register.ts").then((m) => m.register))).pipe(
  calls(["providers.get", "providers.list", "providers.check", "providers.register"], "ProviderAlreadyRegisteredError"),
  printsDocument("the registered definition, its hosts and variables, and which of them other providers have"),
  Command.withDescription("Register a custom provider from a JSON file"),
  Command.withExamples([{ command: "credsvc register ./my-api.json" }, {
    command: "credsvc register ./my-api.json --yes"
  }])
)

export const remove = operationCommand("providers.remove", {
  flags: { yes },
  prepare: () => import("../commands/Confirmations.ts").then((m) => m.removeProvider),
  alsoCalls: ["providers.get", "connections.list"],
  summary: "Remove a custom provider, or reset a bundled one to its shipped definition",
  examples: [{ command: "credsvc remove my-api" }],
  text: (removed, output) => {
    if (removed.status !== "removed") return output.note(`Reset ${removed.provider} to its shipped definition.`)
    const connections = removed.connections.map(({ connection, profile }) => `${connection} (profile ${profile})`)
    return output.note(
      `Removed provider ${removed.provider}${
        connections.length === 0 ? "" : ` and its connections: ${connections.join(", ")}`
      }.`
    )
  }
})

export const providerCommand = Command.make("provider").pipe(
  Command.withDescription("Create and test provider definitions"),
  Command.withExamples([{ command: "credsvc provider new acme" }, { command: "credsvc provider test my-api.json" }]),
  Command.withSubcommands([
    Command.make(
      "new",
      {
        name: Argument.String("name").pipe(
          Argument.withDescription("Provider name; the file is named after it")
        )
      },
      lazy(() => import("../commands/provider/ProviderNew.ts").then((m) => m.create))
    ).pipe(
      calls(["providers.discover"]),
      printsDocument("the file and the definition in it"),
      Command.withDescription(
        "Create a definition from a few questions or from the metadata of an MCP server. Writes a file to the current " +
          "directory and registers nothing"
      ),
      Command.withShortDescription("Create a definition from a few questions"),
      Command.withExamples([{ command: "credsvc provider new acme" }])
    ),
    Command.make(
      "test",
      { path: Argument.String("path").pipe(Argument.withDescription("JSON file with the provider definition")) },
      bare(() => import("../commands/provider/ProviderTest.ts").then((m) => m.test))
    ).pipe(
      fails(),
      printsDocument("each flow with the results of its checks"),
      Command.withDescription(
        "Test a definition: log in, send requests, refresh and revoke against a fake provider in this process. " +
          "Registers nothing and sends nothing to the network"
      ),
      Command.withShortDescription("Test a definition against a fake provider"),
      Command.withExamples([{ command: "credsvc provider test my-api.json" }])
    )
  ])
)
