import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { exposedKeys } from "../../../src/cli/run/ExposedKeys.ts"
import { DaemonClient } from "../../../src/client/DaemonClient.ts"
import type { Send } from "../../../src/client/Responses.ts"
import { unavailable } from "../../../src/domain/FailWith.ts"

const key = { GROQ_API_KEY: "gsk_canary-groq-key" }
const named = [{ variable: "GROQ_API_KEY" }]

const absent = (): never => {
  throw new Error("not called")
}

const withList = (send: Send) => Effect.provide(Layer.mock(DaemonClient, { send, of: absent, exchange: absent }))

const listing = (...providers: ReadonlyArray<{ readonly variables: ReadonlyArray<string> }>): Send => () =>
  Effect.succeed({ status: 200, headers: {}, body: JSON.stringify({ providers }), from: { loopback: true } as never })

describe("exposedKeys", () => {
  it.effect("names the variables that contain a provider's key and get no placeholder", () =>
    Effect.gen(function*() {
      const others = { JIRA_PAT: "canary-jira-pat", GRAFANA_AUTH: "canary-grafana-auth" }
      const variables = { ...key, ...others, OTHER_TOKEN: "canary-other-token" }
      assert.deepStrictEqual(yield* exposedKeys(variables, [], variables), ["GROQ_API_KEY", ...Object.keys(others)])
      assert.deepStrictEqual(yield* exposedKeys(variables, named, variables), Object.keys(others))
    }).pipe(withList(listing({ variables: ["GROQ_API_KEY"] }, { variables: ["JIRA_PAT", "GRAFANA_AUTH"] }))))

  it.effect("does not ask the daemon about variables that the run sets, such as the address of its proxy", () =>
    Effect.gen(function*() {
      const proxy = { HTTPS_PROXY: "http://run:canary-password@127.0.0.1:1" }
      assert.deepStrictEqual(yield* exposedKeys(proxy, [], {}), [])
      assert.strictEqual((yield* Effect.flip(exposedKeys(proxy, [], proxy)))._tag, "DaemonUnavailableError")
    }).pipe(withList(() => unavailable("The daemon does not respond"))))

  it.effect("fails if the daemon does not list the variables, because a contained command would get the keys", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Effect.flip(exposedKeys(key, [], key)))._tag, "DaemonUnavailableError")
      assert.deepStrictEqual(yield* exposedKeys({ PATH: "/bin", ...key }, named, key), [])
    }).pipe(withList(() => unavailable("The daemon does not respond"))))
})
