/** Reads the daemon's responses, as JSON or as the error that they name. */
import * as Effect from "effect/Effect"
import type * as Errors from "../domain/Errors.ts"
import { failWith } from "../domain/FailWith.ts"
import type { DaemonRequest, DaemonResponse } from "./DaemonConnection.ts"

export type Send = (request: DaemonRequest) => Effect.Effect<DaemonResponse, Errors.DaemonUnavailableError>

/** The failure for a response that is not of this version's interface, or not of a credsvc daemon. */
export const notOurs = ({ from, status }: DaemonResponse): Effect.Effect<never, Errors.DaemonUnavailableError> => {
  const { explicit, url: { origin } } = from
  const remedy = explicit
    ? "Check CREDSVC_DAEMON_URL, and that the daemon there has the version of this program"
    : "Restart it with: credsvc daemon restart"
  return failWith(({ DaemonUnavailableError }) =>
    new DaemonUnavailableError({
      url: origin,
      detail:
        `The server at ${origin} sent a response that this version does not understand (status ${status}). ${remedy}`
    })
  )
}

export const readResponse = (response: DaemonResponse): Effect.Effect<unknown, Errors.PublishedError> =>
  response.headers["content-type"]?.startsWith("application/problem+json") === true
    ? Effect.flatMap(
      Effect.promise(() => import("./ProblemDocuments.ts")),
      ({ decodeProblem }): Effect.Effect<never, Errors.PublishedError> => {
        const problem = decodeProblem(response.body)
        return problem === undefined ? notOurs(response) : Effect.fail(problem)
      }
    )
    : Effect.catch(Effect.try((): unknown => JSON.parse(response.body)), () => notOurs(response))

/** The response to an operation that only reads, undecoded. Creating the schemas would take a short command longer. */
export const readPath = (send: Send, path: string): Effect.Effect<unknown, Errors.PublishedError> =>
  Effect.flatMap(
    send({ method: "GET", path, headers: { accept: "application/json" }, body: undefined }),
    readResponse
  )
