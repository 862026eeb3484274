/**
 * The port that every kind of login implements.
 *
 * A flow is a pure conversation: it is told what happened and says what comes next. Sessions, time limits, storage, audit
 * and the saving of the connection are the runner's, so a flow cannot forget them.
 */
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { InputField } from "../domain/AuthSession.ts"
import type { ConnectionName } from "../domain/Connection.ts"
import type {
  AuthenticationFailedError,
  EndpointUnreachableError,
  InvalidRequestError,
  OperationNotAllowedError
} from "../domain/Errors.ts"
import type { FieldValues } from "../domain/Placement.ts"
import type { ProfileHandle } from "../domain/Profile.ts"
import type { FlowKind, ProviderDefinition } from "../domain/Provider.ts"

/** What a login is for. Fixed when it starts, except for the definition: that is the one of today. */
export interface LoginRequest {
  readonly profile: ProfileHandle
  readonly definition: ProviderDefinition
  readonly connection: ConnectionName
  /** The tenant's address, checked against the definition (A37). */
  readonly baseUrl: string | null
  readonly scopes: ReadonlyArray<string>
}

/** What a login has obtained. */
export interface Grant {
  /** By field: `access_token` (and `client_id`) for OAuth, the fields of the definition for an API key. */
  readonly values: FieldValues
  readonly refreshToken?: Redacted.Redacted<string>
  readonly scopes?: ReadonlyArray<string>
  readonly tokenType?: string
  readonly expiresAt?: DateTime.Utc
  readonly account?: { readonly id: string | null; readonly label: string | null }
}

/** What a flow wants to keep between steps; JSON, sealed with the session. */
export type FlowState = Readonly<Record<string, string | number | boolean | null>>

export type FlowStep =
  | {
    readonly _tag: "AskInput"
    readonly message: string
    readonly fields: ReadonlyArray<InputField>
    readonly state: FlowState
  }
  | { readonly _tag: "OpenUrl"; readonly message: string; readonly url: string; readonly state: FlowState }
  | {
    readonly _tag: "ShowUserCode"
    readonly message: string
    readonly userCode: string
    readonly verificationUri: string
    readonly verificationUriComplete: string | null
    readonly interval: number
    readonly state: FlowState
  }
  | { readonly _tag: "Granted"; readonly grant: Grant }

/** What happened while a session was open. */
export type FlowEvent =
  | { readonly _tag: "Input"; readonly data: FieldValues }
  | { readonly _tag: "Callback"; readonly query: Readonly<Record<string, string>> }
  | { readonly _tag: "Poll" }

/** An `InvalidRequestError` leaves the session open for another try; every other failure ends it. */
export type FlowError =
  | InvalidRequestError
  | AuthenticationFailedError
  | EndpointUnreachableError
  | OperationNotAllowedError

export interface Flow {
  readonly kind: FlowKind
  readonly begin: (request: LoginRequest) => Effect.Effect<FlowStep, FlowError>
  readonly receive: (request: LoginRequest, state: FlowState, event: FlowEvent) => Effect.Effect<FlowStep, FlowError>
}
