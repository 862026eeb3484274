/**
 * A proxy and its daemon in one process: reports batches of requests, and prints the part of each one that is confirmed.
 * `RequestLogSweep.test.ts` kills it. Like a proxy, it begins with the report whose confirmation it does not know.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RequestLog } from "../../src/audit/RequestLog.ts"
import type { RunName } from "../../src/domain/wire/Run.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { foundation } from "../support/Services.ts"

const [home = "", from = "0"] = process.argv.slice(2)
const run = "aaaaaaaaaa" as RunName

const program = Effect.gen(function*() {
  const log = yield* RequestLog
  const profile = yield* (yield* Profiles).active
  for (let number = Number(from) + 1; number <= Number(from) + 3; number++) {
    const part = 2 * number
    yield* log.record({
      run,
      profile,
      report: {
        part,
        last: false,
        missing: 0,
        entries: [[1_800_000_000_000, "GET", "api.acme.test", `/${part}`, 200, 1, 2, "acme", "work", null, null]]
      }
    })
    process.stdout.write(`${part}\n`)
  }
})

await Effect.runPromise(
  program.pipe(
    Effect.provide(RequestLog.layerNoDeps.pipe(Layer.provideMerge(foundation(home)))),
    Effect.scoped
  )
)
