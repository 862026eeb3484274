/** Finds the requests whose responses have tokens, in every way in which a server may read the request. */
import * as Result from "effect/Result"
import type { Capture } from "../../domain/injection/Capture.ts"
import { pathOf } from "../../domain/injection/Route.ts"
import { overrideIn } from "../../domain/rules/Overrides.ts"
import { readingsOf } from "../../domain/rules/RequestPath.ts"
import { parseRule, possiblyMatches } from "../../domain/rules/Rule.ts"
import { type Refusal, requestRefusal } from "../ErrorResponse.ts"
import type { RequestHead } from "./RequestValidation.ts"
import type { Captured } from "./Resolution.ts"

export const compileCapture = ({ requests, ...capture }: Capture): Captured => ({
  ...capture,
  requests: requests.map((text) => Result.getOrThrow(parseRule(text)))
})

const AMBIGUOUS = requestRefusal(
  403,
  "this host issues tokens, and servers could read the method or path of this request in more than one way: send it " +
    "without dot segments, empty segments, path parameters, double encoding or overrides of the method"
)

/** How a request that may obtain tokens is treated, or why it is refused; undefined for other requests. */
export const captureOf = (
  declared: ReadonlyArray<Captured>,
  { authority: { host, port }, headers, method, target }: RequestHead
): Captured | Refusal | undefined => {
  if (overrideIn(headers, target, host) !== undefined) return AMBIGUOUS
  const path = readingsOf(pathOf(target))
  if (path !== undefined) {
    return declared.find(({ requests }) => requests.some((rule) => possiblyMatches(rule, { method, host, port, path })))
  }
  const isPossible = declared.some(({ requests }) =>
    requests.some(({ methods }) => methods?.includes(method) !== false)
  )
  return isPossible ? AMBIGUOUS : undefined
}
