/** The outer runs of this program, according to the daemon. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { runMark } from "../config/RunMark.ts"
import { OperationNotAllowedError } from "../domain/Errors.ts"
import { type RunLimits, type RunList, within } from "../domain/wire/Run.ts"

/** The registered outer runs of this program: those that the daemon finds, and the one that the mark in the environment names. */
export const outerRuns = ({ callerRuns, runs }: RunList) => {
  const mark = process.env[runMark]
  const names = [...callerRuns ?? [], ...mark === undefined ? [] : [mark]]
  const found = runs.filter(({ name }) => names.includes(name))
  return callerRuns === null || !names.every((name) => found.some((run) => run.name === name))
    ? Effect.fail(OperationNotAllowedError.of(
      "This program is inside a run that the daemon does not know: the run has ended, or belongs to another daemon."
    ))
    : Effect.succeed(found)
}

/** A run inside another one was narrowed when it was registered, so its limits never exceed those of the outer run. */
export const narrowed = (outer: RunLimits, inner: RunLimits): RunLimits =>
  Result.getOrElse(within(inner, outer), () => outer)
