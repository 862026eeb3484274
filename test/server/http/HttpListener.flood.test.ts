/** Tests the daemon while another user, or a program of the same user, opens more connections than it accepts. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { builtins } from "../../../src/platform/builtins.ts"
import { flood, median, timed } from "../../support/Flood.ts"
import { canBeOthers } from "../../support/OtherUser.ts"
import { startTestDaemon } from "../../support/TestDaemon.ts"

const floods = [
  ["idle connections of another user", "other", () => ""],
  ["incomplete requests of another user", "other", () => "GET /health HTTP/1.1\r\nHost: "],
  ["requests of another user", "other", (host: string) => `GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
  ["malformed requests of another user", "other", () => "no request\r\n\r\n"],
  ["idle connections of this user", "own", () => ""],
  [
    "requests of this user with unread responses",
    "own",
    (host: string) => `GET /docs HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  ]
] as const

describe.runIf(process.platform === "linux")("The daemon under a connection flood", () => {
  for (const [name, user, text] of floods) {
    it.live.skipIf(user === "other" && !canBeOthers)(
      `serves requests within a second during 700 ${name}`,
      () =>
        Effect.gen(function*() {
          const daemon = yield* startTestDaemon()
          yield* flood({ port: daemon.port, connections: 700, user, text: text(`127.0.0.1:${daemon.port}`) })
          const fresh = Effect.acquireUseRelease(
            Effect.sync(() => new builtins.http.Agent()),
            (agent) => daemon.request("/health", { agent }),
            (agent) => Effect.sync(() => agent.destroy())
          ).pipe(Effect.map(({ status }) => assert.strictEqual(status, 200)))
          // Requests sent before the buffers of unread responses are full count as regular load.
          yield* fresh
          const times = yield* timed(15, fresh)
          assert.isBelow(median(times), 1000)
        }),
      60_000
    )
  }
})
