import * as Command from "effect/cli/Command"

/** `credsvc api` without its subcommands, which are derived from the interface only when they are needed. */
export const apiCommand = Command.make("api").pipe(
  Command.withDescription(
    "Call an operation of the daemon's HTTP interface and print its response as JSON. Every operation is a command, and its " +
      "parameters are flags"
  ),
  Command.withShortDescription("Call an operation of the daemon's HTTP interface"),
  Command.withExamples([
    { command: "credsvc api system whoami" },
    { command: "credsvc api connections check --provider openai --connection default" },
    { command: "credsvc api providers check --input my-api.json" }
  ])
)
