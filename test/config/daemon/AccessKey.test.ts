import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import {
  clientHello,
  endsOfClient,
  endsOfDaemon,
  ensureAccessKey,
  findAccessKey,
  helloWindow,
  isClientHello
} from "../../../src/config/daemon/AccessKey.ts"
import { pathsOf } from "../../../src/config/Paths.ts"
import { effect } from "../../support/Fixture.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"

const key = new Uint8Array(32).fill(1)
const otherKey = new Uint8Array(32).fill(2)
const now = 1_000_000

describe("the client's proof of the access key", () => {
  const expected = { nonce: "n", ends: "a 1 b 2", now, startedAt: now - 10_000 }
  const hello = clientHello(key, "n", "a 1 b 2", now)

  it("is accepted by a daemon with the same key, for its nonce and connection", () => {
    assert.isTrue(isClientHello(key, hello, expected))
    for (
      const [given, changes, what] of [
        [otherKey, {}, "another key"],
        [key, { nonce: "m" }, "another nonce"],
        [key, { ends: "a 1 b 3" }, "another connection"],
        [key, { ends: "a 1 c 2" }, "another address"],
        [key, { startedAt: now + 1 }, "a daemon that has started later"],
        [key, { now: now + helloWindow + 1 }, "an old proof"]
      ] as const
    ) assert.isFalse(isClientHello(given, hello, { ...expected, ...changes }), what)
    assert.isFalse(isClientHello(key, "nonsense", expected))
    assert.isFalse(isClientHello(key, hello.replace(String(now), String(now + 1)), expected), "another time")
  })

  it("includes the addresses of the connection, which both sides see alike", () => {
    const client = { localAddress: "127.0.0.1", localPort: 5, remoteAddress: "127.0.0.1", remotePort: 7998 }
    const daemon = {
      localAddress: "::ffff:127.0.0.1",
      localPort: 7998,
      remoteAddress: "::ffff:127.0.0.1",
      remotePort: 5
    }
    assert.strictEqual(endsOfClient(client), endsOfDaemon(daemon))
    assert.notStrictEqual(endsOfClient(client), endsOfClient(daemon))
    assert.notStrictEqual(endsOfClient(client), endsOfClient({ ...client, remoteAddress: "::1" }))
  })
})

const newHome = Effect.map(temporaryDirectory, (home) => {
  fs.mkdirSync(`${home}/server`, { mode: 0o700 })
  return pathsOf(home)
})

describe("the access key of a home", () => {
  effect("is the same for all callers that ask for it at the same time", function*() {
    const paths = yield* newHome
    assert.isUndefined(yield* findAccessKey(paths))
    const keys = yield* Effect.all(Array.from({ length: 8 }, () => ensureAccessKey(paths)), { concurrency: 8 })
    assert.strictEqual(new Set(keys.map((each) => Buffer.from(each).toString("hex"))).size, 1)
    assert.deepStrictEqual(yield* findAccessKey(paths), keys[0])
  })

  effect("is not used if it has the wrong length", function*() {
    const paths = yield* newHome
    yield* ensureAccessKey(paths)
    fs.truncateSync(paths.accessKey, 31)
    assert.isUndefined(yield* findAccessKey(paths))
    assert.strictEqual((yield* Effect.flip(ensureAccessKey(paths))).problem, "io")
  })
})
