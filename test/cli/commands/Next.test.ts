import { assert, describe, it } from "vitest"
import { summaryOf } from "../../../src/cli/commands/Next.ts"

const connection = (status: "connected" | "expired" | "invalid", name = "default") => ({
  provider: "github",
  connection_name: name,
  status
})

describe("credsvc without a command", () => {
  it.each(
    [
      ["nothing is stored", [], 0, ["credsvc login openai", "credsvc scan"]],
      ["every connection works", [connection("connected")], 0, ["credsvc run -- <command>", "credsvc ui"]],
      [
        "connections need a login",
        [connection("expired", "work"), connection("connected"), connection("invalid")],
        0,
        ["credsvc login github --connection work --force", "credsvc login github --force"]
      ],
      [
        "another profile has granted a connection that needs a login",
        [{ ...connection("expired"), granted_by: "team" }],
        0,
        ["credsvc run -- <command>", "credsvc ui"]
      ],
      [
        "a request waits",
        [connection("expired"), connection("connected")],
        2,
        ["credsvc approve", "credsvc login github --force"]
      ]
    ] as const
  )("says what to do if %s", (_, connections, waiting, commands) => {
    assert.deepStrictEqual(summaryOf(connections, waiting).next.map(({ command }) => command), [...commands])
  })
})
