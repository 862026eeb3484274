import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { VaultUnavailableError } from "../../domain/Errors.ts"
import type { Refusal } from "./Guard.ts"

const problemType = "application/problem+json"

/** Encodes a `RequestRefusedError` with the given status, because the class itself has a fixed one. */
export const refusalResponse = (
  refusal: Pick<Refusal, "allow" | "close" | "detail" | "headers"> & { readonly status: number }
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({
    type: "urn:credsvc:error:request-refused",
    title: "Request refused",
    status: refusal.status,
    error: "RequestRefusedError",
    detail: refusal.detail
  }, {
    status: refusal.status,
    contentType: problemType,
    headers: {
      ...refusal.headers,
      ...(refusal.allow === undefined ? {} : { allow: refusal.allow }),
      ...(refusal.close === true ? { connection: "close" } : {})
    }
  })

export const unavailableResponse = ({ detail }: VaultUnavailableError): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({
    type: "urn:credsvc:error:vault-unavailable",
    title: "Vault unavailable",
    status: 503,
    error: "VaultUnavailableError",
    detail
  }, { status: 503, contentType: problemType })

export const unexpectedProblem = (id: string) => ({
  type: "urn:credsvc:error:unexpected",
  title: "Unexpected error",
  status: 500,
  error: "UnexpectedError",
  id,
  detail: `Unexpected error in the daemon. Search for ${id} in its log: credsvc daemon logs`
})

export const unexpectedResponse = (id: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(unexpectedProblem(id), { status: 500, contentType: problemType })
