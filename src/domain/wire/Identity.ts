/** Remote callers: identities, which are public keys bound to a profile, and the codes that enroll them. */
import * as Schema from "effect/Schema"
import { ProfileHandle } from "./Profile.ts"
import { Job, TrustName } from "./Trust.ts"
import { named, Timestamp, wire } from "./Wire.ts"

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

export const Identity = wire("Identity", "A caller on another machine, whose key is bound to a profile", {
  name: [IdentityName, "The name, which the administrator chose"],
  profile: [ProfileHandle, "The profile whose connections the identity uses"],
  keyId: [Schema.String, "The thumbprint of the public key (RFC 7638), which is the `keyid` of signatures"],
  createdAt: [Timestamp, "When the identity was enrolled"],
  disabledAt: [Schema.NullOr(Timestamp), "When the identity was disabled; null while it is enabled"],
  job: [Schema.NullOr(Job), "What the job may use, if a trust has enrolled this identity; null for a machine"]
})
export type Identity = typeof Identity.Type

/** The lifetimes of a code in seconds. */
export const codeLifetime = { standard: 900, minimum: 60, maximum: 86_400 } as const

export const NewEnrollmentCode = wire("NewEnrollmentCode", "The enrollment code to create", {
  profile: [ProfileHandle, "The profile that the identity will use. It must exist"],
  name: [
    Schema.optionalKey(IdentityName),
    "The name of the identity. When absent, it is the name of the profile, with a number if that name is taken"
  ],
  expiresIn: [
    Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: codeLifetime.minimum, maximum: codeLifetime.maximum }))
    ),
    "The lifetime of the code in seconds. The default is 900"
  ]
})
export type NewEnrollmentCode = typeof NewEnrollmentCode.Type

export const EnrollmentCode = wire("EnrollmentCode", "A code that enrolls one identity, once", {
  code: [Schema.RedactedFromValue(Schema.String), "The code, which is not shown again"],
  name: [IdentityName, "The name that the identity will have"],
  profile: [ProfileHandle, "The profile that the identity will use"],
  expiresAt: [Timestamp, "When the code expires"]
})
export type EnrollmentCode = typeof EnrollmentCode.Type

export const Enrollment = wire("Enrollment", "The key to enroll", {
  code: [Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(100))), "The enrollment code"],
  publicKey: [PublicKey, "The public key of the caller, which signed this request"]
})
export type Enrollment = typeof Enrollment.Type

export const JobEnrollment = wire("JobEnrollment", "The key of a job to enroll", {
  token: [
    Schema.RedactedFromValue(Schema.String.check(Schema.isMaxLength(16_384))),
    "The token of the job, signed by the job's CI system. A token enrolls one key"
  ],
  publicKey: [PublicKey, "The public key of the job, which signed this request"],
  trust: [Schema.optionalKey(TrustName), "The trust to use, if several accept the token"]
})
export type JobEnrollment = typeof JobEnrollment.Type
