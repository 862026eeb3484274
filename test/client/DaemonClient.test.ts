import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as path from "node:path"
import { DaemonClient } from "../../src/client/DaemonClient.ts"
import { Paths } from "../../src/config/Paths.ts"
import { Settings } from "../../src/config/Settings.ts"
import { DaemonUnavailableError } from "../../src/domain/Errors.ts"
import { PeerOwner } from "../../src/platform/sockets/PeerOwner.ts"
import { testsWith } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"

describe("DaemonClient", () => {
  testsWith(temporaryDirectory).live("reports to all requests why the daemon does not start", function*(home) {
    // Nothing listens on port 1 of 127.0.0.1.
    fs.mkdirSync(path.join(home, "server"), { mode: 0o700 })
    const state = {
      pid: 1,
      port: 1,
      host: "127.0.0.1",
      started_at: "2026-11-23T09:00:00.000Z",
      version: "0",
      instance: "x"
    }
    fs.writeFileSync(path.join(home, "server", "daemon.json"), JSON.stringify(state), { mode: 0o600 })
    let starts = 0
    const start = () =>
      Effect.suspend(() => {
        starts++
        return Effect.fail(new DaemonUnavailableError({ url: "", detail: "The disk is full." }))
      })
    const { send } = yield* DaemonClient.pipe(
      Effect.provide(DaemonClient.layerNoDeps({ start })),
      Effect.provide(
        Layer.mergeAll(Paths.layerNoDeps, PeerOwner.layer).pipe(Layer.provideMerge(Settings.layerOf({ home })))
      )
    )
    const request = Effect.flip(send({ method: "GET", path: "/runs", headers: {}, body: undefined }))
    const failures = yield* Effect.all([request, request], { concurrency: "unbounded" })
    assert.deepStrictEqual(failures.map(({ detail }) => detail), ["The disk is full.", "The disk is full."])
    assert.strictEqual(starts, 1)
    yield* request
    assert.strictEqual(starts, 2)
  })
})
