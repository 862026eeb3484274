/**
 * The port that every kind of login implements.
 *
 * A flow is a pure conversation: it is told what happened and says what comes next. Sessions, time limits, storage, audit
 * and the saving of the connection are the runner's, so a flow cannot forget them.
 */
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import type { ClientCredentials } from "../connections/ClientCredentialsRepo.ts"
import type { OAuthBinding } from "../connections/OAuthBinding.ts"
import type { InputField } from "../domain/AuthSession.ts"
import type { ConnectionName } from "../domain/Connection.ts"
import type {
  AuthenticationFailedError,
  EndpointUnreachableError,
  InvalidRequestError,
  OperationNotAllowedError,
  VaultUnavailableError
} from "../domain/Errors.ts"
import type { FieldValues } from "../domain/Placement.ts"
import type { ProfileHandle } from "../domain/Profile.ts"
import type { FlowKind, OAuthProvider, ProviderDefinition } from "../domain/Provider.ts"

/** What a login is for. Fixed when it starts, except for the definition: that is the one of today. */
export interface LoginRequest {
  readonly profile: ProfileHandle
  readonly definition: ProviderDefinition
  readonly connection: ConnectionName
  /** The tenant's address, checked against the definition. Null where there is none, or only the grant will tell it. */
  readonly baseUrl: string | null
  readonly scopes: ReadonlyArray<string>
  /** Byte-identical in registration, authorization request and token request. */
  readonly redirectUri: string
}

/** One at a provider that speaks OAuth. */
export interface OAuthLogin extends LoginRequest {
  readonly definition: OAuthProvider
}

/** What a login has obtained. */
export interface Grant {
  /** By field: `access_token` (and `client_id`) for OAuth, the fields of the definition for an API key. */
  readonly values: FieldValues
  readonly refreshToken?: Redacted.Redacted<string>
  readonly scopes?: ReadonlyArray<string>
  readonly tokenType?: string
  /** From when on the tokens are valid; now unless given. */
  readonly obtainedAt?: DateTime.Utc
  readonly expiresAt?: DateTime.Utc
  readonly account?: { readonly id: string | null; readonly label: string | null }
  /** The tenant's address where the provider has told it, checked against the definition as any. */
  readonly baseUrl?: string
  /** What the tokens belong to. */
  readonly oauth?: OAuthBinding
  /** The client of the login, to be stored with the connection: it has proved right. */
  readonly client?: { readonly issuer: string; readonly credentials: ClientCredentials }
  /** A sentence for the person, beside that the login has succeeded. */
  readonly warning?: string
}

/** What a flow wants to keep between steps, sealed with the session. */
export type FlowState = Schema.Json

export type FlowStep =
  | {
    readonly _tag: "AskInput"
    readonly message: string
    readonly fields: ReadonlyArray<InputField>
    /** Why it is asked, when it is not because every login begins so; `message` says it as well. */
    readonly reason?: string
    /** What has to be registered at the provider before the fields can be known. */
    readonly redirectUri?: string
    /** The host that gets what is entered, where it is not the hosts of the API. */
    readonly recipient?: string
    readonly state: FlowState
  }
  | {
    readonly _tag: "OpenUrl"
    readonly message: string
    readonly url: string
    /** The `state` of the authorization request: the callback that brings it back is the session's, once. */
    readonly callbackState: Redacted.Redacted<string>
    readonly state: FlowState
  }
  | {
    readonly _tag: "ShowUserCode"
    readonly message: string
    readonly userCode: string
    readonly verificationUri: string
    readonly verificationUriComplete: string | null
    /** Seconds before the first poll. */
    readonly interval: number
    readonly expiresInSeconds: number
    readonly state: FlowState
  }
  /** After a poll: the provider has not decided yet. Seconds before the next poll. */
  | { readonly _tag: "Wait"; readonly seconds: number; readonly state: FlowState }
  /** The provider has ended the login for want of time. */
  | { readonly _tag: "Expired" }
  | { readonly _tag: "Granted"; readonly grant: Grant }

/** A step that leaves the session open. */
export type OpenStep = Exclude<FlowStep, { readonly _tag: "Expired" | "Granted" }>

/** What happened while a session was open. */
export type FlowEvent =
  | { readonly _tag: "Input"; readonly data: FieldValues }
  /** The query of the redirect, as it came: not even its `iss` has been looked at. */
  | { readonly _tag: "Callback"; readonly query: string }
  | { readonly _tag: "Poll" }

/**
 * After an event, an `InvalidRequestError` leaves the session open for another try, as does a store that cannot be
 * read. Every other failure ends it.
 */
export type FlowError =
  | InvalidRequestError
  | AuthenticationFailedError
  | EndpointUnreachableError
  | OperationNotAllowedError
  | VaultUnavailableError

export interface Flow {
  readonly kind: FlowKind
  readonly begin: (request: LoginRequest) => Effect.Effect<FlowStep, FlowError>
  readonly receive: (request: LoginRequest, state: FlowState, event: FlowEvent) => Effect.Effect<FlowStep, FlowError>
}
