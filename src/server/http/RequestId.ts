/**
 * The ID of a request in the logs of the front server and of the daemon, and in the response. Only the front server may
 * choose it. Others could forge log lines of other requests.
 */
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { randomId } from "../../platform/Digest.ts"
import { requestIdForm, requestIdHeader } from "../../platform/RequestIdHeader.ts"
import { connectionOf } from "./IncomingRequest.ts"

/** The IDs, keyed by the `source` of the request, which all copies of the request share. */
const ids = new WeakMap<object, string>()

export const requestIdOf = (request: HttpServerRequest.HttpServerRequest): string => {
  const known = ids.get(request.source)
  if (known !== undefined) return known
  const given = connectionOf(request)?.isFront === true ? request.headers[requestIdHeader] : undefined
  const id = given !== undefined && requestIdForm.test(given) ? given : randomId()
  ids.set(request.source, id)
  return id
}
