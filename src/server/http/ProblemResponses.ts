/** Problem documents for requests that fail before an API operation runs. Operations encode their own errors. */
import type * as Cause from "effect/Cause"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { RequestRefusedError, UnexpectedError, type VaultUnavailableError } from "../../domain/Errors.ts"
import { type DaemonLog, describeCause } from "../../telemetry/DaemonLog.ts"
import type { Refusal } from "./Guard.ts"
import type { MeasuredRequest } from "./RequestTelemetry.ts"

const problem = (document: object, status: number, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.text(JSON.stringify(document), { status, contentType: "application/problem+json", headers })

/** The problem document of a refusal. `status` replaces the fixed status of the error class. */
export const refusedProblem = (status: number, detail: string): object => ({
  ...new RequestRefusedError({ detail }),
  status
})

export const refusalResponse = (
  { allow, close, detail, headers, status }: Pick<Refusal, "allow" | "close" | "detail" | "headers"> & {
    readonly status: number
  }
): HttpServerResponse.HttpServerResponse =>
  problem(refusedProblem(status, detail), status, {
    ...headers,
    ...(allow === undefined ? {} : { allow }),
    ...(close === true ? { connection: "close" } : {})
  })

export const unavailableResponse = (error: VaultUnavailableError): HttpServerResponse.HttpServerResponse =>
  problem(error, error.status)

/** Writes a failure to the daemon's log, under the request ID that the problem document contains. */
export const logUnexpected = (
  log: DaemonLog["Service"],
  id: string,
  request: MeasuredRequest,
  cause: Cause.Cause<unknown>
): UnexpectedError => {
  log.write("error", "unexpected", { id, ...request, cause: describeCause(cause) })
  const detail = `Unexpected error in the daemon. Search for ${id} in its log: credsvc daemon logs`
  return new UnexpectedError({ id, detail })
}

export const unexpectedResponse = (error: UnexpectedError): HttpServerResponse.HttpServerResponse =>
  problem(error, error.status)
