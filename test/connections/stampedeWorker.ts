/**
 * Prints `ready`, waits for a line, then resolves the credential as often as requested, concurrently, and prints each
 * result: a token, or the name of the error.
 */
import * as Effect from "effect/Effect"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { resolved, runInHome } from "./refreshProcess.ts"

const [home = "", hours = "0", count = "0"] = process.argv.slice(2)

const asked = Effect.callback<void>((resume) => {
  process.stdin.once("data", () => {
    process.stdin.pause()
    resume(Effect.void)
  })
})

const answer = Effect.catch(resolved, ({ _tag }) => Effect.succeed(_tag as string))

const answers = await runInHome(
  home,
  Number(hours),
  Effect.gen(function*() {
    yield* Profiles
    process.stdout.write("ready\n")
    yield* asked
    return yield* Effect.all(Array.from({ length: Number(count) }, () => answer), { concurrency: "unbounded" })
  }),
  { shared: true }
)
process.stdout.write(`${JSON.stringify(answers)}\n`)
