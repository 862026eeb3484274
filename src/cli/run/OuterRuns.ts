/** What this program may do inside its outer runs, according to the daemon. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { runMark } from "../../config/RunMark.ts"
import { OperationNotAllowedError } from "../../domain/Errors.ts"
import { type RunLimits, RunList, within } from "../../domain/wire/Run.ts"
import { callDecoded } from "../api/OperationCall.ts"

const decode = Schema.decodeUnknownEffect(RunList)

/** Lists the registered outer runs of this program: those that the daemon finds, and the run that the environment names. */
const outerRuns = ({ callerRuns, runs }: RunList) => {
  const mark = process.env[runMark]
  const names = [...callerRuns ?? [], ...mark === undefined ? [] : [mark]]
  const found = runs.filter(({ name }) => names.includes(name))
  return callerRuns === null || !names.every((name) => found.some((run) => run.name === name))
    ? Effect.fail(OperationNotAllowedError.of(
      "This program is inside a run that the daemon does not know: the run has ended, or belongs to another daemon. " +
        "Start it outside of that run."
    ))
    : Effect.succeed(found)
}

/** The limits of all outer runs. Outside of a run, everything is allowed. */
export type OuterLimits = Pick<RunLimits, "providers" | "connections" | "unmatched" | "rules">

const unlimited: OuterLimits = { providers: null, connections: {}, unmatched: "allow", rules: [] }

/** The limits of the outer runs, and their profile, if there are any. */
export const insideRuns = Effect.gen(function*() {
  const [outermost, ...inner] = yield* outerRuns(yield* callDecoded("runs.list", {}, decode))
  // The limits of an inner run were narrowed at its registration, so they never exceed those of its outer run.
  const limits: OuterLimits = outermost === undefined ? unlimited : inner.reduce<RunLimits>(
    (outer, run) => Result.getOrElse(within(run, outer), () => outer),
    outermost
  )
  return { limits, profile: outermost?.profile }
})
