/**
 * The login with an AWS role: the user enters the keys of an AWS user who may assume the role. A first request tests
 * the keys, so keys that AWS refuses are never stored.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import {
  assumeRole,
  assumeRoleFields,
  assumeRoleHost,
  readAssumeRole,
  roleOf
} from "../connections/grants/AssumeRole.ts"
import type { ApiKeyProvider } from "../domain/definition/Provider.ts"
import { OperationNotAllowedError } from "../domain/Errors.ts"
import { OAuthHttp } from "../oauth/OAuthHttp.ts"
import { askInput, type Flow, type FlowStep, inputOf, type LoginRequest, unexpectedEvent, validInput } from "./Flow.ts"
import { failureOf } from "./ProviderFailure.ts"

const ask = (definition: ApiKeyProvider, reason?: string): FlowStep =>
  askInput([`Enter the keys of a user of ${definition.displayName}, and the role to assume with them.`], {
    fields: assumeRoleFields(definition).map(inputOf),
    reason,
    state: {}
  })

const signing = ({ definition }: LoginRequest): Effect.Effect<ApiKeyProvider, OperationNotAllowedError> =>
  definition.authType === "api_key" && definition.apiKey.awsSigv4?.assumeRole !== undefined
    ? Effect.succeed(definition)
    : Effect.fail(
      OperationNotAllowedError.of(`${definition.displayName} does not support a login with a role (assume_role).`)
    )

export const AssumeRoleFlow: Effect.Effect<Flow, never, OAuthHttp> = Effect.map(OAuthHttp, (http) => ({
  kind: "assume_role",
  begin: Effect.fn("AssumeRoleFlow.begin")(function*(request) {
    return ask(yield* signing(request))
  }),
  receive: Effect.fn("AssumeRoleFlow.receive")(function*(request, _, event) {
    const definition = yield* signing(request)
    if (event._tag !== "Input") return yield* unexpectedEvent()
    const grantValues = yield* validInput(readAssumeRole(definition, event.data))
    const requested = yield* Effect.result(
      Effect.provideService(assumeRole(definition, grantValues), OAuthHttp, http)
    )
    if (Result.isFailure(requested)) {
      const error = requested.failure
      if (error._tag !== "OAuthRejected") {
        return yield* failureOf(definition, `https://${assumeRoleHost(definition, grantValues)}`, error)
      }
      const detail = error.description === undefined ? "" : `: ${error.description}`
      const reason = `${definition.displayName} refused the request for the role (${error.error}${detail}).`
      return ask(definition, `${reason} Check the values and enter them again.`)
    }
    const { expiresAt, obtainedAt, values } = requested.success
    const role = roleOf(grantValues)
    const step: FlowStep = {
      _tag: "Granted",
      grant: { values, grantValues, obtainedAt, expiresAt, account: { id: role, label: role } }
    }
    return step
  })
} satisfies Flow))
