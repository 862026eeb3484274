import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { Paths, pathsOf } from "../../src/config/Paths.ts"
import * as RunDirectory from "../../src/run/RunDirectory.ts"
import { effect } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"

describe("RunDirectory", () => {
  const inHome = (home: string) => Effect.provide(RunDirectory.make, Paths.layerHome(home))

  effect.skipIf(process.platform === "win32")(
    "is not created at a path that would need quoting in client settings",
    function*() {
      const directory = yield* temporaryDirectory
      for (const character of ["'", "\"", "\\", ":", " ", ";", "#", "$", "\t"]) {
        const { detail = "" } = yield* Effect.flip(inHome(path.join(directory, `a${character}b`)))
        assert.include(detail, "set CREDSVC_HOME", character)
      }
      assert.include(yield* inHome(path.join(directory, "Ünï-c.0_d")), "Ünï-c.0_d")
    }
  )

  effect.skipIf(process.platform === "win32")(
    "is where no other user can create or replace it, even after the run",
    function*() {
      const home = yield* temporaryDirectory
      assert.strictEqual(path.dirname(yield* inHome(home)), path.join(home, "runs"))
      fs.chmodSync(path.join(home, "runs"), 0o777)
      const { detail } = yield* Effect.flip(inHome(home))
      assert.strictEqual(detail, `${home}/runs can be changed by other users.`)
    }
  )

  const abandoned = (parent: string, owner: string) => {
    const directory = path.join(parent, `credsvc-run-${owner}-abcdef`)
    fs.mkdirSync(directory, { recursive: true })
    fs.writeFileSync(path.join(directory, "bundle.pem"), "x")
    return directory
  }

  effect("is removed by the next run only if its own run has ended", function*() {
    const home = yield* temporaryDirectory
    const { runs } = pathsOf(home)
    const gone = abandoned(runs, "4194303-1")
    const reused = abandoned(runs, `${process.pid}-1`)
    const alive = abandoned(runs, `${process.pid}-`)
    yield* inHome(home)
    assert.isFalse(fs.existsSync(gone))
    assert.strictEqual(fs.existsSync(reused), process.platform !== "linux")
    assert.isTrue(fs.existsSync(alive))
  })

  it.effect.runIf(process.platform === "linux")(
    "is not removed from another PID namespace, where its process is invisible",
    () =>
      Effect.gen(function*() {
        const own = /\d+/.exec(fs.readlinkSync("/proc/self/ns/pid"))![0]
        const home = yield* temporaryDirectory
        const { runs } = pathsOf(home)
        const elsewhere = abandoned(runs, `4194303-1-${Number(own) + 1}`)
        const here = abandoned(runs, `4194303-1-${own}`)
        assert.include(path.basename(yield* inHome(home)), `-${own}-`)
        assert.isTrue(fs.existsSync(elsewhere))
        assert.isFalse(fs.existsSync(here))
      })
  )
})
