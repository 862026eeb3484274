/** Remote callers: identities, which are public keys bound to a profile, and the codes that enroll them. */
import * as Schema from "effect/Schema"
import { ProfileHandle } from "./Profile.ts"
import { Timestamp } from "./Timestamp.ts"
import { named, wire } from "./Wire.ts"

export const IdentityName = Schema.String.pipe(named("IdentityName", "The name of an identity")).check(
  Schema.isPattern(/^[a-z0-9][a-z0-9_-]{0,63}$/u, {
    expected:
      "the name of an identity: 1 to 64 lower-case letters, digits, '_' or '-', beginning with a letter or digit"
  })
).pipe(Schema.brand("IdentityName"))
export type IdentityName = typeof IdentityName.Type

/** An Ed25519 public key: the `x` of its JWK (RFC 8037). */
export const PublicKey = Schema.String.pipe(
  named("PublicKey", "An Ed25519 public key: 32 bytes in base64url")
).check(Schema.isPattern(/^[A-Za-z0-9_-]{43}$/u, { expected: "an Ed25519 public key: 32 bytes in base64url" }))

export const Identity = wire(
  {
    name: IdentityName,
    profile: ProfileHandle,
    keyId: Schema.String,
    createdAt: Timestamp,
    disabledAt: Schema.NullOr(Timestamp)
  },
  "Identity",
  "A caller on another machine, whose key is bound to a profile",
  {
    name: "The name, which the administrator chose",
    profile: "The profile whose connections it uses",
    keyId: "The thumbprint of its public key (RFC 7638), which signatures name",
    createdAt: "When it was enrolled",
    disabledAt: "When it was disabled; null while it is enabled"
  }
)
export type Identity = typeof Identity.Type

/** The lifetimes of a code in seconds. */
export const codeLifetime = { standard: 900, minimum: 60, maximum: 86_400 } as const

export const NewEnrollmentCode = wire(
  {
    profile: ProfileHandle,
    name: Schema.optionalKey(IdentityName),
    expiresIn: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: codeLifetime.minimum, maximum: codeLifetime.maximum }))
    )
  },
  "NewEnrollmentCode",
  "The enrollment code to create",
  {
    profile: "The profile that the identity will use. It must exist",
    name: "The name of the identity; the name of the profile, with a number if necessary, when absent",
    expiresIn: "The lifetime of the code in seconds; 900 when absent"
  }
)
export type NewEnrollmentCode = typeof NewEnrollmentCode.Type

export const EnrollmentCode = wire(
  {
    code: Schema.RedactedFromValue(Schema.String),
    name: IdentityName,
    profile: ProfileHandle,
    expiresAt: Timestamp
  },
  "EnrollmentCode",
  "A code that enrolls one identity, once",
  {
    code: "The code, which is not shown again",
    name: "The name that the identity will have",
    profile: "The profile that the identity will use",
    expiresAt: "When the code expires"
  }
)
export type EnrollmentCode = typeof EnrollmentCode.Type

export const Enrollment = wire(
  { code: Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(100))), publicKey: PublicKey },
  "Enrollment",
  "The key to enroll",
  { code: "The enrollment code", publicKey: "The public key of the caller, which signed this request" }
)
export type Enrollment = typeof Enrollment.Type
