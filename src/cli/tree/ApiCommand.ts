import * as Command from "effect/cli/Command"
import { described } from "./CommandParts.ts"

/** `credsvc api` without its subcommands, which are derived from the interface only when they are needed. */
export const apiCommand = Command.make("api").pipe(
  described({
    description:
      "Call an operation of the daemon's HTTP interface and print its response as JSON. Every operation is a command, and its " +
      "parameters are flags",
    summary: "Call an operation of the daemon's HTTP interface",
    examples: `
  credsvc api system whoami
  credsvc api connections check --provider openai --connection default
  credsvc api providers check --input my-api.json`
  })
)
