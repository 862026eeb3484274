import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as childProcess from "node:child_process"
import * as path from "node:path"
import { Paths } from "../../src/config/Paths.ts"
import { HomeLock } from "../../src/store/HomeLock.ts"
import { effect } from "../support/Fixture.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"

// Fresh, because a nested layer would otherwise be the same instance.
const lock = (home: string) => Layer.fresh(HomeLock.layerNoDeps).pipe(Layer.provide(Paths.layerHome(home)))
const holding = <A, E, R>(home: string, body: Effect.Effect<A, E, R>) => Effect.provide(body, lock(home))

/** A process that tries to take the lock, reports the result, and holds the lock until its stdin closes. */
const contender = (home: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const script = `
        import * as Effect from "effect/Effect"
        import * as Layer from "effect/Layer"
        import { Paths } from ${JSON.stringify(path.resolve("src/config/Paths.ts"))}
        import { HomeLock } from ${JSON.stringify(path.resolve("src/store/HomeLock.ts"))}
        const home = ${JSON.stringify(home)}
        await Effect.runPromise(Effect.matchEffect(
          Effect.scoped(Effect.andThen(
            Layer.build(HomeLock.layerNoDeps.pipe(Layer.provide(Paths.layerHome(home)))),
            Effect.promise(() => {
              console.log("held")
              return new Promise((resolve) => process.stdin.once("end", resolve).resume())
            })
          )),
          { onFailure: (error) => Effect.sync(() => console.log(error._tag + " " + error.pid)), onSuccess: () => Effect.void }
        ))
        process.exit(0)`
      const child = childProcess.spawn(process.execPath, ["--input-type=module", "-e", script], {
        stdio: ["pipe", "pipe", "inherit"]
      })
      const report = new Promise<string>((resolve) =>
        child.stdout.once("data", (chunk) => resolve(String(chunk).trim()))
      )
      const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
      return { child, report, exited }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

describe("HomeLock", () => {
  effect("is held by one process, and its failure names that process", function*() {
    const home = yield* temporaryDirectory
    const error = yield* holding(home, Effect.flip(holding(home, Effect.void)))
    assert.deepStrictEqual([error._tag, "pid" in error ? error.pid : undefined], ["HomeLockedError", process.pid])
    yield* holding(home, Effect.void)
  })

  effect("is acquired by one of six processes that start at the same time, and is released by a kill", function*() {
    const home = yield* temporaryDirectory
    const contenders = yield* Effect.all(Array.from({ length: 6 }, () => contender(home)))
    const reports = yield* Effect.promise(() => Promise.all(contenders.map(({ report }) => report)))
    const winners = contenders.filter((_, index) => reports[index] === "held")
    assert.strictEqual(winners.length, 1)
    const [winner] = winners
    const expected = [`HomeLockedError ${winner?.child.pid}`, "HomeLockedError undefined"]
    for (const line of reports) if (line !== "held") assert.include(expected, line)
    winner?.child.kill("SIGKILL")
    yield* Effect.promise(() => winner?.exited ?? Promise.resolve())
    yield* holding(home, Effect.void)
  })
})
