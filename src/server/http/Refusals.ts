/** Problem documents outside of the operations of the API, which encode their own. An error is its document. */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { RequestRefusedError, UnexpectedError, type VaultUnavailableError } from "../../domain/Errors.ts"
import type { Refusal } from "./Guard.ts"

const problem = (document: object, status: number, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.text(JSON.stringify(document), { status, contentType: "application/problem+json", headers })

/** The error itself has a fixed status. */
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

/** `id` names the failure in the daemon's log. */
export const unexpected = (id: string): UnexpectedError =>
  new UnexpectedError({
    id,
    detail: `Unexpected error in the daemon. Search for ${id} in its log: credsvc daemon logs`
  })

export const unexpectedResponse = (id: string): HttpServerResponse.HttpServerResponse => problem(unexpected(id), 500)
