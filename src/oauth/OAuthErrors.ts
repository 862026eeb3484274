/**
 * Failures of requests to an authorization server. No failure contains a cause, a body, a URL query or a token, so all
 * may be logged. After `OAuthUnavailable`, stored tokens stay valid.
 */
import * as Schema from "effect/Schema"

/** An error response of RFC 6749 section 5.2, RFC 8628 section 3.5 or RFC 7591 section 3.2.2. */
export class OAuthRejected extends Schema.TaggedError<OAuthRejected>()("OAuthRejected", {
  /** The error code, for example `invalid_grant`. It contains only characters that the RFC allows. */
  error: Schema.String,
  /** Plain text of at most 256 characters, controlled by the server: escape it like any untrusted text. */
  description: Schema.optionalKey(Schema.String),
  status: Schema.Int
}) {
  override get message(): string {
    return this.description === undefined
      ? `the authorization server responded "${this.error}"`
      : `the authorization server responded "${this.error}": ${this.description}`
  }
}

export const UnavailableReason = Schema.Literals([
  "unreachable",
  "untrusted",
  "timeout",
  "rate_limited",
  "server_error",
  "malformed"
])
export type UnavailableReason = typeof UnavailableReason.Type

/** A failure that does not concern the grant: keep the tokens and try again later. */
export class OAuthUnavailable extends Schema.TaggedError<OAuthUnavailable>()("OAuthUnavailable", {
  reason: UnavailableReason,
  detail: Schema.String,
  retryAfterSeconds: Schema.optionalKey(Schema.Number),
  /** Whether the server may have processed the request; if so, a rotating refresh token may be used up. */
  sent: Schema.Boolean
}) {
  override get message(): string {
    return this.detail
  }
}

/** Metadata, an endpoint or a response violates a rule that protects the credential, and was not used. */
export class OAuthUnsafe extends Schema.TaggedError<OAuthUnsafe>()("OAuthUnsafe", {
  detail: Schema.String,
  /** The issuer that the server named instead of the expected one. */
  otherIssuer: Schema.optionalKey(Schema.String),
  /** The requirement that is not met. The user can waive it for this login, or name the issuer. */
  lacks: Schema.optionalKey(Schema.Literals(["iss", "issuer", "pkce", "resource"]))
}) {
  override get message(): string {
    return this.detail
  }
}

/**
 * Whether the server rejects the parameter `resource` itself: with the error of RFC 8707 or of Entra ID, or with a
 * description that mentions it. False if the user denies the access to a resource.
 */
export const refusesResource = ({ description = "", error }: OAuthRejected): boolean =>
  error === "invalid_target" || error === "invalid_resource" ||
  (error === "invalid_request" && /\bresource\b/i.test(description))

export type OAuthError = OAuthRejected | OAuthUnavailable | OAuthUnsafe

/** Whether the outcome of the request is unknown. An explicit refusal by the server is a known outcome. */
export const isLost = (error: OAuthError): boolean =>
  error._tag === "OAuthUnavailable" && error.sent && error.reason !== "server_error"

export const unsafeError = (detail: string, otherIssuer?: string): OAuthUnsafe =>
  new OAuthUnsafe({ detail, ...(otherIssuer === undefined ? {} : { otherIssuer }) })

export const lackingError = (lacks: "issuer" | "pkce" | "resource", detail: string): OAuthUnsafe =>
  new OAuthUnsafe({ detail, lacks })

export const malformedError = (detail: string): OAuthUnavailable =>
  new OAuthUnavailable({ reason: "malformed", detail, sent: true })
