/** What the daemon answers, as JSON or as the error that it names. */
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

/** The failure for a response that is not of this version's interface, or not of a credsvc daemon at all. */
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

/** The problem document as the class that it names. Statuses of a refusal vary, so that one is rebuilt by hand. */
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

/** The body of a success. */
export const readAnswer = (response: DaemonResponse): Effect.Effect<unknown, Errors.PublishedError> => {
  if (response.headers["content-type"]?.startsWith("application/problem+json") === true) return decodeProblem(response)
  return Effect.try({ try: () => JSON.parse(response.body) as unknown, catch: () => notOurs(response) })
}

/**
 * An operation that only reads, its answer as it came, for what a command prints without looking into it: to make the schemas of
 * the interface takes a short command longer than to fetch what they describe.
 */
export const readPath = (send: Send, path: string): Effect.Effect<unknown, Errors.PublishedError> =>
  Effect.flatMap(
    send({ method: "GET", path, headers: { accept: "application/json" }, body: undefined }),
    readAnswer
  )
