/**
 * What is served when the vault cannot be opened: liveness, readiness with the way out, and for everything else the
 * failure itself. The daemon stays up, so that a person who asks is told what is wrong.
 */
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { ProfileSelection } from "../api/Middleware.ts"
import { SystemGroup } from "../api/SystemGroup.ts"
import type { VaultUnavailableError } from "../domain/Errors.ts"
import type { ServedPath } from "./FrontDoor.ts"
import { type Finding, Readiness } from "./Readiness.ts"
import { problemType } from "./Refusals.ts"
import * as RequestProblems from "./RequestProblems.ts"
import { SystemHandlers } from "./SystemHandlers.ts"

class RecoveryApi extends HttpApi.make("credsvc").add(SystemGroup) {}

const notChecked: Finding = { message: "Not checked: the vault cannot be opened.", skipped: true }

const response = (failure: VaultUnavailableError): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({
    type: failure.type,
    title: failure.title,
    status: failure.status,
    error: failure.error,
    detail: failure.detail
  }, { status: failure.status, contentType: problemType })

export const servedPaths: ReadonlyArray<ServedPath> = ["GET", "POST", "DELETE"].map((method) => ({
  method,
  path: "/*"
}))

export const layer = (failure: VaultUnavailableError) => {
  const detail = failure.detail ?? failure.title
  const failed: Finding = { message: detail, problems: [detail] }
  const readiness = Readiness.layerOf({
    spec_version: Effect.succeed(notChecked),
    identity: Effect.succeed(notChecked),
    providers: Effect.succeed(notChecked),
    connections: Effect.succeed(notChecked),
    vault: Effect.succeed(failed),
    integrity: Effect.succeed(notChecked)
  })
  const profiles = Layer.succeed(ProfileSelection, ProfileSelection.of(() => Effect.fail(failure)))
  const operations = HttpApiBuilder.layer(RecoveryApi).pipe(
    Layer.provide(SystemHandlers),
    Layer.provide([readiness, profiles, RequestProblems.layer])
  )
  // Not all methods at once, or HEAD would no longer fall back to the GET routes.
  const everythingElse = HttpRouter.addAll(
    (["GET", "POST", "DELETE"] as const).map((method) => HttpRouter.route(method, "/*", response(failure)))
  )
  return Layer.mergeAll(operations, everythingElse)
}
