import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as net from "node:net"
import { AuditLog, type AuditRecord } from "../../../src/audit/AuditLog.ts"
import { ProfileHandle } from "../../../src/domain/wire/Profile.ts"
import { ChildRefusal, recordedDenials } from "../../../src/server/http/ChildRefusal.ts"
import { RunRegistry } from "../../../src/server/runs/RunRegistry.ts"
import { effect } from "../../support/Fixture.ts"

const alice = ProfileHandle.make("alice")
const bob = ProfileHandle.make("bob")

describe("ChildRefusal", () => {
  effect("records a bounded number of denials within a minute, and refuses all attempts", function*() {
    const recorded: Array<AuditRecord> = []
    const services = Layer.mergeAll(
      Layer.succeed(AuditLog, { append: (entry: AuditRecord) => Effect.sync(() => recorded.push(entry)) } as never),
      Layer.succeed(RunRegistry, { isInside: () => Effect.succeed(true) } as never)
    )
    const children = yield* ChildRefusal.pipe(Effect.provide(Layer.provide(ChildRefusal.layerNoDeps, services)))
    const attempt = Effect.succeed({ event: "sandbox-access", provider: null, connection: null } as const)
    const denied = (profile: ProfileHandle) => Effect.flip(children.refuseResolve(new net.Socket(), profile, attempt))
    for (let count = 0; count < 3 * recordedDenials; count++) {
      assert.strictEqual((yield* denied(alice))._tag, "OperationNotAllowedError")
    }
    assert.lengthOf(recorded, recordedDenials)
    yield* denied(bob)
    assert.lengthOf(recorded, recordedDenials + 1, "those of another profile are recorded")
    yield* TestClock.adjust("1 minute")
    yield* denied(alice)
    assert.lengthOf(recorded, recordedDenials + 2, "a later one is recorded")
  })
})
