import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createSecretKey } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import type { OpenVault } from "../../../src/vault/keys/MasterKey.ts"
import { makeAnchor } from "../../../src/vault/manifest/ManifestAnchor.ts"
import { testsWith } from "../../support/Fixture.ts"
import { temporaryDirectory } from "../../support/TemporaryDirectory.ts"

const inDirectory = testsWith(temporaryDirectory)

const vault: OpenVault = {
  storeId: "store-1",
  source: "env",
  key: undefined as never,
  storeKey: () => createSecretKey(Buffer.alloc(32, 7))
}

const macOf = (epoch: number) => Buffer.alloc(32, epoch)

describe("The manifest's anchor", () => {
  inDirectory.live("stays at the newest state when several states are written at the same time", function*(directory) {
    const file = path.join(directory, "manifest.anchor")
    const anchor = makeAnchor(file, (what) => Effect.die(new Error(what)), true)
    const write = (epoch: number) => anchor.write(vault, epoch, macOf(epoch))
    const epochs = Array.from({ length: 40 }, (_, index) => index + 1)
    yield* Effect.forEach([5, 4, ...epochs, 40, 3], write, { concurrency: "unbounded" })
    assert.isTrue(yield* anchor.check(vault, 40, macOf(40)))
    assert.deepStrictEqual(fs.readdirSync(directory), ["manifest.anchor"])
  })

  inDirectory.live("can be checked while it is written", function*(directory) {
    const anchor = makeAnchor(path.join(directory, "manifest.anchor"), (what) => Effect.die(new Error(what)), false)
    yield* anchor.write(vault, 1, macOf(1))
    for (let epoch = 2; epoch < 50; epoch++) {
      const check = Effect.repeat(
        Effect.andThen(Effect.promise(() => new Promise(setImmediate)), anchor.check(vault, epoch, macOf(epoch))),
        { until: (isCurrent) => isCurrent }
      )
      yield* Effect.all([anchor.write(vault, epoch, macOf(epoch)), check], { concurrency: "unbounded" })
    }
  })
})
