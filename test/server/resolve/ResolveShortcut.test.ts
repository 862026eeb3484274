import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as http from "node:http"
import { asked, bodies, key, loggedIn } from "../../support/ResolveQuestions.ts"
import type { TestDaemonShape } from "../../support/TestDaemon.ts"

const resolve = (daemon: TestDaemonShape, body: string, agent: http.Agent, headers: Record<string, string> = {}) =>
  daemon.request("/credentials/resolve", {
    method: "POST",
    body,
    agent,
    headers: { "content-type": "application/json", ...headers }
  })

/** A keep-alive connection, admitted by its first request, so that later ones can take the fast path. */
const keptConnection = (daemon: TestDaemonShape) =>
  Effect.acquireRelease(
    Effect.sync(() => new http.Agent({ keepAlive: true, maxSockets: 1 })),
    (agent) => Effect.sync(() => agent.destroy())
  ).pipe(Effect.tap((agent) => daemon.request("/health", { agent })))

describe("ResolveShortcut", () => {
  it.live("responds to valid and invalid requests as the regular route does", () =>
    Effect.gen(function*() {
      const daemon = yield* loggedIn
      const agent = yield* keptConnection(daemon)
      for (const body of bodies) {
        // Requests with a chunked body or `Expect` take the regular route, with the same content.
        const short = yield* resolve(daemon, body, agent)
        const ordinary = yield* daemon.request("/credentials/resolve", {
          method: "POST",
          body,
          agent,
          headers: { "content-type": "application/json", expect: "100-continue" }
        })
        assert.deepStrictEqual([short.status, short.json], [ordinary.status, ordinary.json], body)
        for (
          const name of ["content-type", "cache-control", "x-content-type-options", "cross-origin-resource-policy"]
        ) {
          assert.strictEqual(short.headers[name], ordinary.headers[name], `${name} of ${body}`)
        }
      }
      const good = yield* resolve(daemon, JSON.stringify(asked), agent)
      assert.strictEqual(good.json.headers.Authorization, `Bearer ${key}`)
    }).pipe(Effect.scoped))

  it.live("applies the guard to every request", () =>
    Effect.gen(function*() {
      const daemon = yield* loggedIn
      const agent = yield* keptConnection(daemon)
      const refused: ReadonlyArray<readonly [number, Record<string, string>]> = [
        [403, { host: "evil.test:7998" }],
        [403, { origin: "http://evil.test" }],
        [403, { "sec-fetch-site": "cross-site" }],
        [403, { "sec-fetch-site": "none" }],
        [415, { "content-type": "text/plain" }]
      ]
      for (const [status, headers] of refused) {
        const own = yield* Effect.scoped(
          Effect.flatMap(keptConnection(daemon), (each) => resolve(daemon, JSON.stringify(asked), each, headers))
        )
        assert.strictEqual(own.status, status, JSON.stringify(headers))
        assert.notInclude(own.body, key)
      }
      assert.strictEqual((yield* resolve(daemon, JSON.stringify(asked), agent)).status, 200)
    }).pipe(Effect.scoped))
})
