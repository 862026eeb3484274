/** Reads the daemon's responses, as JSON or as the error that they name. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Errors from "../domain/Errors.ts"
import type { DaemonRequest, DaemonResponse } from "./DaemonConnection.ts"

export type Send = (request: DaemonRequest) => Effect.Effect<DaemonResponse, Errors.DaemonUnavailableError>

const errorClasses = new Map<string, Schema.Codec<Errors.PublishedError>>(
  Errors.published.map((
    errorClass
  ) => [errorClass.identifier, errorClass as unknown as Schema.Codec<Errors.PublishedError>])
)

/** The failure for a response that is not of this version's interface, or not of a credsvc daemon. */
export const notOurs = ({ from, status }: DaemonResponse): Errors.DaemonUnavailableError => {
  const { explicit, url: { origin } } = from
  const remedy = explicit
    ? "Check CREDSVC_DAEMON_URL, and that the daemon there has the version of this program"
    : "Restart it with: credsvc daemon restart"
  return new Errors.DaemonUnavailableError({
    url: origin,
    detail:
      `The server at ${origin} sent a response that this version does not understand (status ${status}). ${remedy}`
  })
}

/**
 * A problem document as the class that it names. The status of a `RequestRefusedError` varies, so its schema cannot
 * decode it.
 */
const decodeProblem = (response: DaemonResponse): Effect.Effect<never, Errors.PublishedError> =>
  Effect.suspend(() => {
    const body: unknown = JSON.parse(response.body)
    const { detail, error } = body as { readonly error?: unknown; readonly detail?: unknown }
    if (error === "RequestRefusedError") {
      return Effect.fail(new Errors.RequestRefusedError({ detail: String(detail) }))
    }
    const errorClass = errorClasses.get(String(error))
    return errorClass === undefined
      ? Effect.fail(notOurs(response))
      : Schema.decodeUnknownEffect(errorClass)(body).pipe(
        Effect.mapError(() => notOurs(response)),
        Effect.flatMap(Effect.fail)
      )
  })

export const readResponse = (response: DaemonResponse): Effect.Effect<unknown, Errors.PublishedError> => {
  if (response.headers["content-type"]?.startsWith("application/problem+json") === true) return decodeProblem(response)
  return Effect.try({ try: () => JSON.parse(response.body) as unknown, catch: () => notOurs(response) })
}

/** The response to an operation that only reads, undecoded. Creating the schemas would take a short command longer. */
export const readPath = (send: Send, path: string): Effect.Effect<unknown, Errors.PublishedError> =>
  Effect.flatMap(
    send({ method: "GET", path, headers: { accept: "application/json" }, body: undefined }),
    readResponse
  )
