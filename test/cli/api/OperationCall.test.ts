import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { call } from "../../../src/cli/api/OperationCall.ts"
import { insideRuns } from "../../../src/cli/run/OuterRuns.ts"
import { DaemonClient } from "../../../src/client/DaemonClient.ts"
import type { DaemonRequest } from "../../../src/client/DaemonConnection.ts"

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
    ["is not an object", "null", Effect.asVoid(call("system.whoami"))],
    ["is a list", "[]", Effect.asVoid(call("audit.requests"))],
    ["has no runs", "{}", Effect.asVoid(insideRuns)],
    ["has an unknown run", `{"runs":[{"name":"later"}],"caller_runs":[]}`, Effect.asVoid(insideRuns)]
  ] as const
  for (const [problem, body, effect] of malformed) {
    it.effect(`is reported with the daemon and the remedy if it ${problem}`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(effect)
        assert.strictEqual(error._tag, "DaemonUnavailableError")
        assert.include(error.message, "http://127.0.0.1:1 sent a response that this version does not understand")
        assert.include(error.message, "credsvc daemon restart")
      }).pipe(responding(body)))
  }
})

/** A daemon that returns one response, and adds the requests to `sent`. */
const answering = (response: object, sent: Array<DaemonRequest> = []) =>
  Effect.provide(Layer.mock(DaemonClient, {
    send: (request) =>
      Effect.sync(() => {
        sent.push(request)
        return { status: 200, headers: {}, body: JSON.stringify(response), from }
      }),
    of: absent,
    exchange: absent
  }))

const secret = "canary-secret"
const [path, name, public_key] = ["/home/me/.env", "ci", "canary-public-key"]

describe("call", () => {
  it.effect("takes secrets only as Redacted, and sends their values", () =>
    Effect.gen(function*() {
      const sent: Array<DaemonRequest> = []
      const value = Redacted.make(secret)
      yield* Effect.all([
        call("auth.resume", { session_id: "id", data: { api_key: value } }),
        call("credentials.scan", { values: [{ variable: "A", source: path, value }] }),
        call("credentials.keep", { path, content: value, replaced: value }),
        call("identities.enroll", { code: value, public_key }),
        call("trusts.enroll", { token: value, public_key })
      ]).pipe(answering({}, sent))
      assert.deepStrictEqual(sent.map(({ body }) => JSON.parse(body as string)), [
        { data: { api_key: secret } },
        { values: [{ variable: "A", source: path, value: secret }] },
        { path, content: secret, replaced: secret },
        { code: secret, public_key },
        { token: secret, public_key }
      ])
      // @ts-expect-error a secret that is not Redacted
      void call("trusts.enroll", { token: secret, public_key })
      // @ts-expect-error a secret in a list that is not Redacted
      void call("credentials.scan", { values: [{ variable: "A", source: path, value: secret }] })
    }))

  it.effect("returns secrets as Redacted", () =>
    Effect.gen(function*() {
      const { token } = yield* call("sandboxes.access", { name })
      const { token: created } = yield* call("sandboxes.rotate", { name })
      const { content } = yield* call("credentials.restore", { path, content: Redacted.make("") })
      for (const each of [token, created, content]) {
        assert.isTrue(Redacted.isRedacted(each))
        assert.notInclude(JSON.stringify({ each }), secret)
        assert.strictEqual(Redacted.value(each!), secret)
      }
    }).pipe(answering({ token: secret, content: secret })))
})
