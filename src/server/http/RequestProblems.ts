/** Middleware of all API operations: strict JSON parsing, validation errors, and the rules for revealing secrets. */
import * as Effect from "effect/Effect"
import { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { factsOf, type OperationFacts, RequestProblems } from "../../api/OperationParts.ts"
import { InvalidRequestError, OperationNotAllowedError, type Problem } from "../../domain/Errors.ts"
import { problemsOf } from "../../domain/text/SchemaProblems.ts"
import { parseStrictJson } from "../../domain/text/StrictJson.ts"
import { maxJsonBytes, mayReveal } from "./Guard.ts"
import { headOf } from "./IncomingRequest.ts"

export const bodyLimits = { maxBytes: maxJsonBytes, maxDepth: 32 }

/** Names the body in a problem that concerns the body as a whole. */
export const bodyProblem = ({ message, path }: Problem): Problem => ({
  path,
  message: path === "" ? `the body ${message}` : message
})

/** Removes the slash from a parameter or header name. Only paths within the body are JSON pointers. */
const ofNamed = ({ message, path }: Problem): Problem => ({ path: path.replace(/^\//, ""), message })

const invalid = (error: HttpApiSchemaError) =>
  InvalidRequestError.of(problemsOf(error.cause).map(error.kind === "Payload" ? bodyProblem : ofNamed))

const notForBrowsers = () =>
  OperationNotAllowedError.of("Browsers get no secrets. Use the command line: credsvc get --show-secret")

type Operation = Effect.Effect<HttpServerResponse, unknown, HttpServerRequest.HttpServerRequest>

/** Validates the body with the strict parser before the operation reads it again. The request caches the text. */
const withStrictBody = (operation: Operation): Operation =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) =>
      Effect.flatMap(Effect.orDie(request.text), (text): Operation => {
        if (text === "") return operation
        const parsed = parseStrictJson(text, bodyLimits)
        return Result.isSuccess(parsed) ? operation : Effect.fail(InvalidRequestError.of([bodyProblem(parsed.failure)]))
      })
  )

const withRevealRule = (reveals: OperationFacts["reveals"], operation: Operation): Operation =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) =>
      (reveals === "always" || new URLSearchParams(request.url.split("?")[1]).has("reveal")) &&
        !mayReveal(headOf(request).rawHeaders)
        ? Effect.fail(notForBrowsers())
        : operation
  )

export const layer: Layer.Layer<RequestProblems> = Layer.succeed(
  RequestProblems,
  RequestProblems.of((operation, { endpoint }) => {
    const { readsBody, reveals } = factsOf(endpoint)
    const read = endpoint.payload.size === 0 || readsBody === true ? operation : withStrictBody(operation)
    const permitted = reveals === undefined ? read : withRevealRule(reveals, read)
    return Effect.catch(permitted, (error) => {
      // The operation's declared errors pass through. Their type is known only to the operation.
      if (!(error instanceof HttpApiSchemaError)) return Effect.fail(error as InvalidRequestError)
      // A response that does not match its own schema is a defect of the daemon, not an invalid request.
      return error.kind === "Body" || error.kind === "ResponseHeaders"
        ? Effect.die(error)
        : Effect.fail(invalid(error))
    })
  })
)
