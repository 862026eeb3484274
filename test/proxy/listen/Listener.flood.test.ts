/** The proxy of a run while another user, or a program of ours, opens more connections than it holds. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { flood, median, timed } from "../../support/Flood.ts"
import { canBeOthers } from "../../support/OtherUser.ts"
import { authorization, connectTo, fakeDaemon, startProxy } from "../../support/ProxyHarness.ts"

const request = "CONNECT api.example.test:443 HTTP/1.1\r\n\r\n"

const floods = [
  ["idle connections of another user", "other", ""],
  ["half requests of another user", "other", "CONNECT api.example.test:443 HTTP"],
  ["requests of another user", "other", request],
  ["idle connections of this user", "own", ""]
] as const

describe.runIf(process.platform === "linux")("ProxyListener under a connection flood", () => {
  for (const [name, user, text] of floods) {
    it.live.skipIf(user === "other" && !canBeOthers)(
      `serves requests within a second during 700 ${name}`,
      () =>
        Effect.scoped(Effect.gen(function*() {
          const proxy = yield* startProxy({ daemon: fakeDaemon([]), peer: "real", unmatched: "deny" })
          yield* flood({ port: proxy.port, connections: 700, user, text })
          for (const headers of [authorization(proxy), ""]) {
            const times = yield* timed(
              15,
              Effect.promise(async () => {
                const { response, socket } = await connectTo(proxy, "api.example.test:443", { headers })
                socket.destroy()
                assert.strictEqual(response.status, 403, "denied by --unmatched, so it was admitted")
              })
            )
            assert.isBelow(median(times), 1000)
          }
        })),
      60_000
    )
  }
})
