/**
 * How a conversation with an authorization server fails.
 *
 * None of these holds a cause, a body, a URL with its query or a token: they may be logged as they are. What to do
 * follows from the tag alone: after `OAuthUnavailable` whatever was stored stays good, `OAuthRejected` is the server's
 * word on the grant or the client, and after `OAuthUnsafe` trying again changes nothing.
 */
import * as Schema from "effect/Schema"

/** The server said no, in the words of RFC 6749 section 5.2, RFC 8628 section 3.5 or RFC 7591 section 3.2.2. */
export class OAuthRejected extends Schema.TaggedError<OAuthRejected>()("OAuthRejected", {
  /** Such as `invalid_grant`, in the characters that the RFC allows. */
  error: Schema.String,
  /** Plain text of at most 256 characters, made by the server: escape it like any other foreign text. */
  description: Schema.optionalKey(Schema.String),
  status: Schema.Int
}) {
  override get message(): string {
    return this.description === undefined
      ? `the authorization server answered "${this.error}"`
      : `the authorization server answered "${this.error}": ${this.description}`
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

/** No usable answer. It says nothing about the grant: keep the tokens and try again later. */
export class OAuthUnavailable extends Schema.TaggedError<OAuthUnavailable>()("OAuthUnavailable", {
  reason: UnavailableReason,
  detail: Schema.String,
  /** What the server asked for in `Retry-After`. */
  retryAfterSeconds: Schema.optionalKey(Schema.Number),
  /** Whether the server may have acted on the request: then a refresh token that rotates may be spent. */
  sent: Schema.Boolean
}) {
  override get message(): string {
    return this.detail
  }
}

/** Metadata, an endpoint or an answer breaks a rule that protects the credential. It was not acted upon. */
export class OAuthUnsafe extends Schema.TaggedError<OAuthUnsafe>()("OAuthUnsafe", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

export type OAuthError = OAuthRejected | OAuthUnavailable | OAuthUnsafe

export const unsafe = (detail: string): OAuthUnsafe => new OAuthUnsafe({ detail })

/** An answer that cannot be read: by then the request was processed. */
export const malformed = (detail: string): OAuthUnavailable =>
  new OAuthUnavailable({ reason: "malformed", detail, sent: true })
