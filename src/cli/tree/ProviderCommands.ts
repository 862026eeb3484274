/** The commands `inspect`, `register`, `remove` and `provider …`. */
import { registerParams } from "./CommandInputs.ts"
import { bare, command, group, lazy } from "./CommandParts.ts"
import { operationCommand } from "./OperationCommand.ts"
import * as Param from "./Param.ts"

export const inspect = command("inspect", {
  params: { provider: Param.provider },
  handler: lazy(() => import("../commands/Inspect.ts").then((m) => m.inspect)),
  calls: ["providers.get", "connections.list"],
  document: "the definition of the provider, and its connections",
  description: "Print a provider's definition and connections as JSON",
  examples: "credsvc inspect openai"
})

export const register = command("register", {
  params: registerParams,
  handler: lazy(() => import("../commands/provider/Register.ts").then((m) => m.register)),
  calls: ["providers.get", "providers.list", "providers.check", "providers.register"],
  fails: ["ProviderAlreadyRegisteredError"],
  document: "the registered definition, its hosts and variables, and those of them that other providers also claim",
  description: "Register a custom provider from a JSON file",
  examples: `
  credsvc register ./my-api.json
  credsvc register ./my-api.json --yes`
})

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

export const providerCommand = group("provider", {
  description: "Test provider definitions",
  examples: "credsvc provider test my-api.json"
}, [
  command("test", {
    params: { path: Param.argument("path", "JSON file with the provider definition") },
    handler: bare(() => import("../commands/provider/ProviderTest.ts").then((m) => m.test)),
    document: "each flow with the results of its checks",
    description:
      "Test a definition: log in, send requests, refresh and revoke against a fake provider in this process. " +
      "Registers nothing and sends nothing to the network",
    summary: "Test a definition against a fake provider",
    examples: "credsvc provider test my-api.json"
  })
])
