/** Handles `credsvc` without a command: tells what is stored and what to do next, without starting the daemon. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import type { ResponseOf } from "../../api/Operations.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { Paths } from "../../config/Paths.ts"
import { loginCommand } from "../../domain/text/LoginCommand.ts"
import { plural } from "../../domain/text/Plural.ts"
import { call } from "../api/OperationCall.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { Output } from "../output/Output.ts"
import { sanitize } from "../output/Sanitize.ts"
import { wrapHelp } from "../output/Text.ts"

type Connection = Pick<
  ResponseOf<"connections.list">["connections"][number],
  "provider" | "connection_name" | "status" | "granted_by"
>

const empty = {
  state: "Nothing is stored yet.",
  next: [
    { command: "credsvc login openai", to: "store a key, or log in" },
    { command: "credsvc scan", to: "find keys in .env files" }
  ]
}

const loginAgain = ({ connection_name: name, provider, status }: Connection) => ({
  command: loginCommand(provider, name, true),
  to: `log in again: the connection is ${status}`
})

const usual = [
  { command: "credsvc run -- <command>", to: "run a program with these credentials" },
  { command: "credsvc ui", to: "see connections, runs and logs" }
]

/** Summarizes what is stored, and lists what to do next, the most urgent first. */
export const summaryOf = (connections: ReadonlyArray<Connection>, waiting: number) => {
  if (connections.length === 0) return empty
  const urgent = [
    ...(waiting === 0 ? [] : [{ command: "credsvc approve", to: `answer ${plural(waiting, "waiting request")}` }]),
    ...connections.filter(({ granted_by: owner, status }) =>
      owner === undefined && (status === "expired" || status === "invalid")
    ).map(loginAgain)
  ]
  return { state: `${plural(connections.length, "connection")} stored.`, next: urgent.length > 0 ? urgent : usual }
}

const stored = Effect.gen(function*() {
  const { connections } = yield* call("connections.list")
  // Only administrators may read the questions. Other identities get an error.
  const { questions } = yield* Effect.catchTag(
    call("runs.questions"),
    ["OperationNotAllowedError", "RequestRefusedError"],
    () => Effect.succeed({ questions: [] })
  )
  return summaryOf(connections, questions.length)
})

export const next = Effect.gen(function*() {
  const output = yield* Output
  const { accessKey } = yield* Paths
  const { explicit } = yield* (yield* DaemonClient).address
  // Without an access key, which the first start of a daemon creates, nothing is stored.
  const found = yield* !explicit && !fs.existsSync(accessKey)
    ? Effect.succeed(empty)
    : Effect.catchTag(stored, "DaemonUnavailableError", ({ detail }) => Effect.succeed({ state: detail, next: [] }))
  const width = Math.max(...found.next.map(({ command }) => command.length))
  const steps = found.next.map(({ command, to }) => `  ${command.padEnd(width)}  # ${to}`)
  const text = [found.state, ...steps, "All commands: credsvc --help"].join("\n")
  yield* output.either(() => found, () => wrapHelp(sanitize(text), output.columns()))
}).pipe(provideDaemon({ start: false }))
