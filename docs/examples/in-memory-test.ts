/**
 * A test of a program that uses connections: services in memory, a fixed key, and no network.
 *
 * Prints: Authorization: Bearer sk-test-0123456789abcdef
 */
import { Connections, FlowRunner, Profiles } from "credsvc"
import * as Testing from "credsvc/testing"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { openai } from "./provider.ts"

const test = Effect.gen(function*() {
  const profile = yield* (yield* Profiles).active
  const runner = yield* FlowRunner
  const { sessionId } = yield* runner.start(profile, { provider: openai })
  yield* runner.resume(sessionId, { api_key: Redacted.make("sk-test-0123456789abcdef") })

  const request = { host: "api.openai.com", path: "/v1/models" }
  const { headers } = yield* (yield* Connections).resolve(profile, request, { run: Option.none() })
  for (const [name, value] of Object.entries(headers)) console.log(`${name}: ${Redacted.value(value)}`)
}).pipe(Effect.provide(Testing.layer()))

await Effect.runPromise(test)
