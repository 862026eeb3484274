import * as Command from "effect/cli/Command"
import { registerParams } from "./CommandInputs.ts"
import { bare, calls, described, fails, lazy, printsDocument } from "./CommandParts.ts"
import { operationCommand } from "./OperationCommand.ts"
import * as Param from "./Param.ts"

export const inspect = Command.make(
  "inspect",
  { provider: Param.provider },
  lazy(() => import("../commands/Inspect.ts").then((m) => m.inspect))
).pipe(
  calls(["providers.get", "connections.list"]),
  printsDocument("the definition of the provider, and its connections"),
  described("Print a provider's definition and connections as JSON", "credsvc inspect openai")
)

export const register = Command.make(
  "register",
  registerParams,
  lazy(() => import("../commands/provider/Register.ts").then((m) => m.register))
).pipe(
  calls(["providers.get", "providers.list", "providers.check", "providers.register"], "ProviderAlreadyRegisteredError"),
  printsDocument("the registered definition, its hosts and variables, and which of them other providers claim"),
  described(
    "Register a custom provider from a JSON file",
    `
  credsvc register ./my-api.json
  credsvc register ./my-api.json --yes`
  )
)

export const remove = operationCommand("providers.remove", {
  flags: { yes: Param.yes },
  prepare: () => import("../commands/Confirmations.ts").then((m) => m.removeProvider),
  alsoCalls: ["providers.get", "connections.list"],
  summary: "Remove a custom provider, or reset a bundled provider to its original definition",
  examples: "credsvc remove my-api",
  text: (removed, output) => {
    if (removed.status !== "removed") return output.note(`Reset ${removed.provider} to its bundled definition.`)
    const connections = removed.connections.map(({ connection, profile }) => `${connection} (profile ${profile})`)
    return output.note(
      `Removed provider ${removed.provider}${
        connections.length === 0 ? "" : ` and its connections: ${connections.join(", ")}`
      }.`
    )
  }
})

export const providerCommand = Command.make("provider").pipe(
  described(
    "Test provider definitions",
    "credsvc provider test my-api.json"
  ),
  Command.withSubcommands([
    Command.make(
      "test",
      { path: Param.argument("path", "JSON file with the provider definition") },
      bare(() => import("../commands/provider/ProviderTest.ts").then((m) => m.test))
    ).pipe(
      fails(),
      printsDocument("each flow with the results of its checks"),
      described(
        "Test a definition: log in, send requests, refresh and revoke against a fake provider in this process. " +
          "Registers nothing and sends nothing to the network",
        "credsvc provider test my-api.json",
        "Test a definition against a fake provider"
      )
    )
  ])
)
