import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type * as Http from "node:http"
import { builtins } from "../../../src/platform/builtins.ts"
import { daemonTests } from "../../support/DaemonTests.ts"
import { harnessOf } from "../../support/OAuthHarness.ts"
import { startTestDaemon, type TestDaemonShape } from "../../support/TestDaemon.ts"

interface Stream {
  readonly status: number
  readonly headers: Http.IncomingHttpHeaders
  /** Resolves with everything received once it contains the text. Rejects if the stream ends first. */
  readonly until: (text: string) => Promise<string>
  readonly ended: Promise<void>
  readonly close: () => void
}

const open = (daemon: TestDaemonShape, since: string, headers: Http.OutgoingHttpHeaders = {}): Promise<Stream> =>
  new Promise((resolve, reject) => {
    const request = builtins.http.get({
      host: "127.0.0.1",
      port: daemon.port,
      path: `/ui/events?since=${since}`,
      agent: false,
      headers: { host: `127.0.0.1:${daemon.port}`, ...headers }
    }, (response) => {
      let received = ""
      let over = false
      const wake = new Set<() => void>()
      response.on("data", (chunk: Buffer) => {
        received += chunk.toString("utf8")
        for (const look of wake) look()
      })
      const ended = new Promise<void>((resolve) =>
        response.on("close", () => {
          over = true
          for (const look of wake) look()
          resolve()
        })
      )
      response.on("error", () => {})
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        ended,
        close: () => request.destroy(),
        until: (text) =>
          new Promise((resolve, reject) => {
            const look = () => {
              if (received.includes(text)) resolve(received)
              else if (over) reject(new Error(`the stream ended with: ${received}`))
            }
            wake.add(look)
            look()
          })
      })
    })
    request.on("error", reject)
  })

const revisionIn = (page: string): string => /data-since="([^"]+)"/.exec(page)?.[1] ?? ""

const live = daemonTests()

describe("LiveUpdates", () => {
  live("notifies a page of changes since it was rendered, without any data", function*(daemon) {
    const before = revisionIn((yield* daemon.request("/ui/")).body)
    assert.notStrictEqual(before, "")
    const stream = yield* Effect.promise(() => open(daemon, before))
    assert.strictEqual(stream.status, 200)
    assert.deepInclude(stream.headers, { "content-type": "text/event-stream", "cache-control": "no-store" })
    const beat = yield* Effect.promise(() => stream.until(":\n\n"))
    assert.notInclude(beat, "change")
    yield* harnessOf(daemon).connect("openai")
    const told = yield* Effect.promise(() => stream.until("data: changed\n\n"))
    const id = /^id: (.+)$/m.exec(told)?.[1] ?? ""
    assert.notStrictEqual(id, before)
    assert.notInclude(told, "openai")
    stream.close()
    // Changes that happened without a listener are reported immediately, even when a browser reconnects with
    // Last-Event-ID.
    const late = yield* Effect.promise(() => open(daemon, before))
    yield* Effect.promise(() => late.until("data: changed\n\n"))
    late.close()
    const back = yield* Effect.promise(() => open(daemon, before, { "last-event-id": id }))
    assert.notInclude(yield* Effect.promise(() => back.until(":\n\n")), "change")
    back.close()
  })

  live("serves neither other sites nor more than sixteen pages", function*(daemon) {
    const foreign = yield* daemon.request("/ui/events", { headers: { "sec-fetch-site": "cross-site" } })
    assert.strictEqual(foreign.status, 403)
    const streams = yield* Effect.promise(() => Promise.all(Array.from({ length: 16 }, () => open(daemon, "x"))))
    yield* Effect.promise(() => Promise.all(streams.map((stream) => stream.until("data: changed\n\n"))))
    const refused = yield* daemon.request("/ui/events")
    assert.strictEqual(refused.status, 429)
    for (const stream of streams) stream.close()
    yield* Effect.promise(() => open(daemon, "x")).pipe(
      Effect.flatMap((stream) =>
        stream.status === 200 ? Effect.sync(stream.close) : Effect.fail(new Error("still refused"))
      ),
      Effect.eventually
    )
  })

  it.live("ends its streams when the daemon stops", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const daemon = yield* Scope.provide(startTestDaemon(), scope)
      const stream = yield* Effect.promise(() => open(daemon, "x"))
      yield* Effect.promise(() => stream.until("changed"))
      yield* Scope.close(scope, Exit.void)
      yield* Effect.promise(() => stream.ended)
    }))
})
