/** A daemon with one connection, and queries about it through the channel, the fast path and the route. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startTestDaemon } from "./TestDaemon.ts"

export const key = "sk-proj-0123456789abcdefABCDEF0123456789"
export const asked = {
  host: "api.openai.com",
  port: 443,
  scheme: "https",
  provider: "openai",
  connection: "default"
}

export const loggedIn = Effect.gen(function*() {
  const daemon = yield* startTestDaemon()
  const session = yield* daemon.request("/auth/sessions", { method: "POST", body: { provider: "openai" } })
  const done = yield* daemon.request(`/auth/sessions/${session.json.session_id}/resume`, {
    method: "POST",
    body: { data: { api_key: key } }
  })
  assert.strictEqual(done.json.status, "completed", done.body)
  return daemon
})

/** Valid and invalid bodies. The response is the same on every path. */
export const bodies: ReadonlyArray<string> = [
  JSON.stringify(asked),
  JSON.stringify({ host: "api.openai.com" }),
  `  ${JSON.stringify(asked)}`,
  JSON.stringify({ ...asked, host: "api.evil.test" }),
  JSON.stringify({ ...asked, port: 8443 }),
  JSON.stringify({ ...asked, scheme: "http" }),
  JSON.stringify({ ...asked, connection: "work" }),
  JSON.stringify({ ...asked, provider: "absent" }),
  JSON.stringify({ ...asked, provider: "../etc" }),
  JSON.stringify({ ...asked, extra: 1 }),
  JSON.stringify({ port: 443 }),
  "{\"host\":\"api.openai.com\",\"host\":\"api.evil.test\"}",
  "{\"host\":",
  "[]",
  "null"
]
