/** Reads the daemon's responses, as JSON or as the error that they name. */
import * as Effect from "effect/Effect"
import { baseUrlText } from "../config/daemon/DaemonUrl.ts"
import type * as Errors from "../domain/Errors.ts"
import { unavailable } from "../domain/FailWith.ts"
import { requestIdForm, requestIdHeader } from "../platform/RequestIdHeader.ts"
import type { DaemonRequest, DaemonResponse } from "./DaemonConnection.ts"

export type Send = (request: DaemonRequest) => Effect.Effect<DaemonResponse, Errors.DaemonUnavailableError>

const isProblem = ({ headers }: DaemonResponse): boolean =>
  headers["content-type"]?.startsWith("application/problem+json") === true

/** Formats the ID of a request to another machine. The logs there contain this ID. */
const requestOf = ({ from, headers }: DaemonResponse): string => {
  const id = headers[requestIdHeader]
  return !from.loopback && typeof id === "string" && requestIdForm.test(id) ? ` (request ${id})` : ""
}

/** Tells whether a reverse proxy of the daemon wants its clients to authenticate. */
export const isFrontRefusal = (response: DaemonResponse): boolean =>
  !response.from.loopback && [401, 403, 407].includes(response.status) && !isProblem(response)

/** Fails because a response is not from a credsvc daemon, or not from this version of its interface. */
export const unknownResponse = (response: DaemonResponse): Effect.Effect<never, Errors.DaemonUnavailableError> => {
  const { from, status } = response
  const url = baseUrlText(from.url)
  const remedy = from.explicit
    ? "Check CREDSVC_DAEMON_URL, and that the daemon there has the same version as this program"
    : "Restart it with: credsvc daemon restart"
  const unknown = `sent a response that this version does not understand (status ${status}). ${remedy}`
  const said = from.loopback ? Effect.succeed(unknown) : Effect.map(
    Effect.promise(() => import("./ReverseProxyProblems.ts")),
    ({ refusalProblem, reverseProxyProblem }) =>
      isFrontRefusal(response) ? refusalProblem(response) : reverseProxyProblem(response) ?? unknown
  )
  return Effect.flatMap(said, (text) => unavailable(`The server at ${url} ${text}${requestOf(response)}`, url))
}

export const readResponse = (response: DaemonResponse): Effect.Effect<unknown, Errors.PublishedError> => {
  if (isProblem(response)) {
    return Effect.flatMap(
      Effect.promise(() => import("./ProblemDocuments.ts")),
      ({ decodeProblem }): Effect.Effect<never, Errors.PublishedError> => {
        const problem = decodeProblem(response.body, requestOf(response))
        // A daemon of this version has every operation, so the configured address has a wrong path.
        const isElsewhere = problem?._tag === "RequestRefusedError" && response.status === 404 &&
          !response.from.loopback
        return problem === undefined || isElsewhere ? unknownResponse(response) : Effect.fail(problem)
      }
    )
  }
  if (isFrontRefusal(response)) return unknownResponse(response)
  return Effect.catch(Effect.try((): unknown => JSON.parse(response.body)), () => unknownResponse(response))
}
