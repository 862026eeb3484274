import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { call } from "../../../src/cli/api/OperationCall.ts"
import { insideRuns } from "../../../src/cli/run/OuterRuns.ts"
import { DaemonClient } from "../../../src/client/DaemonClient.ts"

const absent = (): never => {
  throw new Error("not called")
}

const from = { loopback: true, explicit: false, url: new URL("http://127.0.0.1:1") } as never

const responding = (body: string) =>
  Effect.provide(Layer.mock(DaemonClient, {
    send: () => Effect.succeed({ status: 200, headers: {}, body, from }),
    of: absent,
    exchange: absent
  }))

describe("a response that this version does not understand", () => {
  const malformed = [
    ["is no object", "null", Effect.asVoid(call("system.whoami"))],
    ["is a list", "[]", Effect.asVoid(call("audit.requests"))],
    ["has no runs", "{}", Effect.asVoid(insideRuns)],
    ["has an unknown run", `{"runs":[{"name":"later"}],"caller_runs":[]}`, Effect.asVoid(insideRuns)]
  ] as const
  for (const [problem, body, effect] of malformed) {
    it.effect(`${problem}, and names the daemon and the remedy`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(effect)
        assert.strictEqual(error._tag, "DaemonUnavailableError")
        assert.include(error.message, "http://127.0.0.1:1 sent a response that this version does not understand")
        assert.include(error.message, "credsvc daemon restart")
      }).pipe(responding(body)))
  }
})
