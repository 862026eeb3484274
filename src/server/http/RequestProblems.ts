/** What every operation does with a request that is not what its schema says. */
import * as Effect from "effect/Effect"
import { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Http from "node:http"
import { RequestProblems } from "../../api/Middleware.ts"
import { InvalidRequestError, OperationNotAllowedError, type Problem } from "../../domain/Errors.ts"
import { problemsOf } from "../../domain/SchemaProblems.ts"
import { parseStrictJson } from "../../domain/StrictJson.ts"
import { maxJsonBytes, mayReveal } from "./Guard.ts"

export const bodyLimits = { maxBytes: maxJsonBytes, maxDepth: 32 }

/** A problem of the body, which has no name of its own. */
export const bodyProblem = ({ message, path }: Problem): Problem => ({
  path,
  message: path === "" ? `the body ${message}` : message
})

/** A name of the query, the path or a header stands for itself; places in the body are JSON pointers. */
const ofNamed = ({ message, path }: Problem): Problem => ({ path: path.replace(/^\//, ""), message })

const invalid = (error: HttpApiSchemaError) =>
  InvalidRequestError.of(problemsOf(error.cause).map(error.kind === "Payload" ? bodyProblem : ofNamed))

const notForLinks = OperationNotAllowedError.of(
  "A secret is not shown to a page that a link or a bookmark opened. Use the command line: credsvc get --show-secret"
)

/** Operations that answer with a secret. */
const reveals = (operation: string, url: string): boolean =>
  operation === "credentials.export" || operation === "credentials.resolve" ||
  (operation === "connections.get" && new URLSearchParams(url.split("?")[1]).has("reveal"))

type Operation = Effect.Effect<HttpServerResponse, unknown, HttpServerRequest.HttpServerRequest>

/** Reads a body with the strict parser first. The text is kept: the operation reads the same one again. */
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

const withRevealRule = (name: string, operation: Operation): Operation =>
  Effect.flatMap(
    HttpServerRequest.HttpServerRequest,
    (request) =>
      reveals(name, request.url) && !mayReveal((request.source as Http.IncomingMessage).rawHeaders)
        ? Effect.fail(notForLinks)
        : operation
  )

export const layer: Layer.Layer<RequestProblems> = Layer.succeed(
  RequestProblems,
  RequestProblems.of((operation, { endpoint, group }) => {
    const name = `${group.identifier}.${endpoint.identifier}`
    const read = endpoint.payload.size === 0 ? operation : withStrictBody(operation)
    const permitted = name.startsWith("credentials.") || name === "connections.get" ? withRevealRule(name, read) : read
    return Effect.catch(permitted, (error) => {
      // What the operation itself declares passes through; its type is known to the operation alone.
      if (!(error instanceof HttpApiSchemaError)) return Effect.fail(error as InvalidRequestError)
      // An answer that does not fit its own schema is our fault, not the caller's.
      return error.kind === "Body" || error.kind === "ResponseHeaders"
        ? Effect.die(error)
        : Effect.fail(invalid(error))
    })
  })
)
