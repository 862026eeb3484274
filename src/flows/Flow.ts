/**
 * A flow is a state machine: it receives an event and returns the next step. The runner owns sessions, time limits,
 * storage, audit and saving of the connection, so a flow cannot omit them.
 */
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { NewConnection } from "../connections/NewConnection.ts"
import type { ClientCredentials } from "../connections/oauth/ClientCredentialsRepo.ts"
import type { Renewal } from "../connections/renewal/OwnRenewals.ts"
import type { FlowKind, OAuthProvider, ProviderDefinition } from "../domain/definition/Provider.ts"
import { credentialFields, type LoginField } from "../domain/definition/ProviderFields.ts"
import {
  type AuthenticationFailedError,
  type EndpointUnreachableError,
  InvalidRequestError,
  OperationNotAllowedError,
  type Problem,
  type VaultUnavailableError
} from "../domain/Errors.ts"
import type { FieldValues } from "../domain/injection/Placement.ts"
import type { InputField } from "../domain/wire/AuthSession.ts"
import type { ConnectionName } from "../domain/wire/Connection.ts"
import type { CredentialCommand } from "../domain/wire/CredentialCommand.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"

/** The request of a login. Fixed at the start, except for the definition, which is always the current one. */
export interface LoginRequest {
  readonly profile: ProfileHandle
  readonly definition: ProviderDefinition
  readonly connection: ConnectionName
  /** The base URL, checked against the definition; null if there is none, or if only the grant determines it. */
  readonly baseUrl: string | null
  readonly scopes: ReadonlyArray<string>
  /** Whether OAuth requests omit the resource indicator. */
  readonly noResource?: boolean | undefined
  /** Another issuer name that the authorization server may use. */
  readonly trustIssuer?: string | undefined
  /** The command of the flow `credential_command`. */
  readonly command?: CredentialCommand | undefined
  /** The redirect URI, byte-identical in registration, authorization request and token request. */
  readonly redirectUri: string
  /** The URL of the client ID metadata document that the user has chosen. */
  readonly clientId?: string | undefined
  /** The URL of this daemon's metadata document, if the daemon has a public address. Used for servers that can fetch it. */
  readonly ownClientId?: string | undefined
  /** The redirect URI to register if the server refuses `redirectUri`. */
  readonly redirectFallback?: string | undefined
}

export interface OAuthLogin extends LoginRequest {
  readonly definition: OAuthProvider
}

export interface Grant
  extends Pick<NewConnection, "account" | "command" | "expiresAt" | "oauth" | "obtainedAt" | "scopes" | "tokenType">
{
  /** The values by field name: `access_token` (and `client_id`) for OAuth, the fields of the definition for an API key. */
  readonly values: FieldValues
  readonly refreshToken?: Redacted.Redacted<string> | undefined
  /** The values that a stored grant needs for its next token requests, or that `renew` of the flow needs. */
  readonly grantValues?: FieldValues | undefined
  readonly baseUrl?: string | undefined
  /** The client of the login, which is stored with the connection because the login has proved it valid. */
  readonly client?: { readonly issuer: string; readonly credentials: ClientCredentials } | undefined
  /** A warning about a successful login, such as scopes that were not granted. */
  readonly warning?: string | undefined
  /**
   * Present if the user entered an existing refresh token. `replaced`: the server issued a new refresh token and may
   * have invalidated the old one, so storing the grant is retried.
   */
  readonly existing?: "replaced" | "unchanged" | undefined
}

/** The tokens of a login that is not stored, with the parameters of their revocation. */
export type HeldTokens = Pick<Grant, "client" | "existing" | "grantValues" | "oauth" | "refreshToken" | "values">

/** The state of a flow between events, sealed with the session. */
export type FlowState = Schema.Json

export type FlowStep =
  | {
    readonly _tag: "AskInput"
    readonly message: string
    readonly fields: ReadonlyArray<InputField>
    readonly reason?: string | undefined
    readonly redirectUri?: string | undefined
    readonly recipient?: string | undefined
    readonly state: FlowState
  }
  | {
    readonly _tag: "OpenUrl"
    readonly message: string
    readonly url: string
    /** The `state` of the authorization request. The first callback with this `state` belongs to the session. */
    readonly callbackState: Redacted.Redacted<string>
    /** The redirect URI, if it is not the one in the login request. */
    readonly redirectUri?: string
    readonly state: FlowState
  }
  | {
    readonly _tag: "ShowUserCode"
    readonly message: string
    readonly userCode: string
    readonly verificationUri: string
    readonly verificationUriComplete: string | null
    readonly interval: number
    readonly expiresInSeconds: number
    readonly state: FlowState
  }
  /**
   * The flow is about to send a value that may be valid only once. The runner stores the state first, then sends the
   * event `Proceed`. It sends this event again after a crash.
   */
  | { readonly _tag: "Proceed"; readonly message: string; readonly state: FlowState }
  /** The step after a poll without a decision. `seconds`: until the next poll. */
  | { readonly _tag: "Wait"; readonly seconds: number; readonly state: FlowState }
  | { readonly _tag: "Expired" }
  | { readonly _tag: "Granted"; readonly grant: Grant }

export type OpenStep = Exclude<FlowStep, { readonly _tag: "Expired" | "Granted" | "Proceed" }>

export type FlowEvent =
  | { readonly _tag: "Input"; readonly data: FieldValues }
  /** The raw query of the redirect; nothing in it has been validated, not even `iss`. */
  | { readonly _tag: "Callback"; readonly query: string }
  | { readonly _tag: "Poll" }
  /** Follows the step `Proceed`, once its state is stored. `again`: an earlier process may already have sent the value. */
  | { readonly _tag: "Proceed"; readonly again: boolean }

/** Errors of a flow. An `InvalidRequestError` or an unreadable store leaves the session open; any other failure ends it. */
export type FlowError =
  | InvalidRequestError
  | AuthenticationFailedError
  | EndpointUnreachableError
  | OperationNotAllowedError
  | VaultUnavailableError

/** The failure of a flow for an event that its state does not expect. */
export const unexpectedEvent = () => OperationNotAllowedError.of("This login expects other input. Start a new login.")

export type { RenewalRequest, RenewedCredential } from "../connections/renewal/OwnRenewals.ts"

export interface Flow {
  /** A built-in kind, or your own name with a dot, such as `acme.ticket`. */
  readonly kind: FlowKind
  /** Whether the flow applies to a provider. Without this function, it applies to every provider whose definition has this kind. */
  readonly supports?: (definition: ProviderDefinition) => boolean
  readonly begin: (request: LoginRequest) => Effect.Effect<FlowStep, FlowError>
  readonly receive: (request: LoginRequest, state: FlowState, event: FlowEvent) => Effect.Effect<FlowStep, FlowError>
  /**
   * Obtains another credential when the credential of a grant with `grantValues` is about to expire or was rejected. Only
   * for kinds with your own name; grants with a refresh token do not use it.
   */
  readonly renew?: Renewal
  /**
   * Reads the query of the redirect from text that the user has pasted because the browser could not reach the
   * daemon. Absent for flows that accept no pasted text.
   */
  readonly pasted?: (
    request: LoginRequest,
    state: FlowState,
    text: Redacted.Redacted<string>
  ) => Effect.Effect<string, FlowError>
  /** Returns the tokens that the state holds, to revoke them if the login ends without a connection. */
  readonly held?: (state: FlowState) => Effect.Effect<HeldTokens | undefined>
}

/** The step that asks for values. `reason` says why they are asked for again, and begins the message. */
export const askInput = (
  sentences: ReadonlyArray<string>,
  step: Omit<Extract<FlowStep, { readonly _tag: "AskInput" }>, "_tag" | "message">
): FlowStep => ({
  ...step,
  _tag: "AskInput",
  message: [...(step.reason === undefined ? [] : [step.reason]), ...sentences].join(" ")
})

/** Returns the values that a person has entered, or fails with what is wrong with them. */
export const validInput = <A>(read: Result.Result<A, ReadonlyArray<Problem>>): Effect.Effect<A, InvalidRequestError> =>
  Effect.mapError(Effect.fromResult(read), InvalidRequestError.of)

/** A required field with a value that is not secret. `rest` overrides its properties. */
export const inputField = (name: string, label: string, rest: Partial<InputField> = {}): InputField => ({
  name,
  label,
  secret: false,
  required: true,
  default: null,
  pattern: null,
  hint: null,
  ...rest
})

export const inputOf = ({ hint, label, name, pattern, required, secret }: LoginField): InputField =>
  inputField(name, label, { hint: hint ?? null, pattern: pattern ?? null, required, secret })

/** The fields of the credential that the definition declares. */
export const inputFields = (definition: ProviderDefinition): ReadonlyArray<InputField> =>
  credentialFields(definition).map(inputOf)
