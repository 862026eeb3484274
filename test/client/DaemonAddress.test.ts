import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { locateDaemon } from "../../src/client/DaemonAddress.ts"
import { pathsOf } from "../../src/config/Paths.ts"
import { effect } from "../support/Fixture.ts"

const located = (daemonUrl: string) =>
  Effect.map(
    locateDaemon({ daemonUrl: Option.some(new URL(daemonUrl)) }, pathsOf("/nowhere")),
    ({ loopback, url }) => ({
      loopback,
      origin: url.origin
    })
  )

describe("DaemonAddress", () => {
  effect("connects to 127.0.0.1 for http://localhost, because another user may listen on [::1]", function*() {
    assert.deepStrictEqual(yield* located("http://localhost:7000"), {
      loopback: true,
      origin: "http://127.0.0.1:7000"
    })
  })

  effect("keeps the name in https://localhost, because the certificate contains it", function*() {
    assert.deepStrictEqual(yield* located("https://localhost:7000"), {
      loopback: false,
      origin: "https://localhost:7000"
    })
  })

  effect("does not change the URL of the settings", function*() {
    const given = new URL("http://localhost:7000")
    yield* locateDaemon({ daemonUrl: Option.some(given) }, pathsOf("/nowhere"))
    assert.strictEqual(given.hostname, "localhost")
  })
})
