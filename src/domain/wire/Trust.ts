/** Trusts: which jobs of CI systems and which workloads may enroll a key for a short time, by the claims of their tokens. */
import * as Schema from "effect/Schema"
import { PolicyName } from "../rules/RuleSchemas.ts"
import { ProfileHandle } from "./Profile.ts"
import { ProviderName } from "./ProviderName.ts"
import { named, Timestamp, wire } from "./Wire.ts"

export const TrustName = Schema.String.pipe(named("TrustName", "The name of a trust")).check(
  Schema.isPattern(/^[a-z0-9][a-z0-9_-]{0,31}$/u, {
    expected: "the name of a trust: 1 to 32 lower-case letters, digits, '_' or '-', beginning with a letter or digit"
  })
).pipe(Schema.brand("TrustName"))
export type TrustName = typeof TrustName.Type

/** What a job that is enrolled by a trust may use. */
const limits = {
  providers: [
    Schema.NullOr(Schema.Array(ProviderName)),
    "The providers whose credentials the runs of a job may use; null for all"
  ],
  policies: [Schema.Array(PolicyName), "The policies whose rules limit the runs of a job"]
} as const

export const Job = wire("Job", "A job or workload whose token has enrolled its key for a short time", {
  trust: [TrustName, "The trust that has enrolled the job"],
  expiresAt: [Timestamp, "When the key of the job expires"],
  ...limits
})
export type Job = typeof Job.Type

/** The lifetimes of a job's key in seconds. */
export const keyLifetime = { standard: 3600, minimum: 60, maximum: 86_400 } as const

const KeyLifetime = Schema.Int.check(Schema.isBetween({ minimum: keyLifetime.minimum, maximum: keyLifetime.maximum }))

const Claims = Schema.Record(Schema.String.check(Schema.isMaxLength(128)), Schema.String.check(Schema.isMaxLength(512)))
const claims = "Maps each claim to the pattern that it must match; `*` matches any characters except `/` and `:`"
const Keys = Schema.NullOr(Schema.String.check(Schema.isMaxLength(65_536)))
const keys = "The keys of the issuer as a JWK Set (RFC 7517); null for the keys that the issuer publishes"
const Issuer = Schema.String.check(Schema.isMaxLength(512))

export const NewTrust = wire("NewTrust", "The trust to create", {
  profile: [ProfileHandle, "The profile whose connections the jobs use. It must exist"],
  name: [Schema.optionalKey(TrustName), "The name of the trust. The default is the name of the profile"],
  issuer: [Issuer, "The issuer of the tokens: an https URL, `github`, `gitlab` or `buildkite`"],
  audience: [
    Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(512))),
    "The only audience of the tokens. The default is the base URL of the daemon"
  ],
  claims: [Claims, claims],
  keys: [Schema.optionalKey(Keys), keys],
  providers: [Schema.optionalKey(limits.providers[0]), limits.providers[1]],
  policies: [Schema.optionalKey(limits.policies[0]), limits.policies[1]],
  expiresIn: [Schema.optionalKey(KeyLifetime), "The lifetime of a job's key in seconds. The default is 3600"]
})
export type NewTrust = typeof NewTrust.Type

export const Trust = wire("Trust", "Which jobs may enroll a key for a short time, by the claims of their ID tokens", {
  name: [TrustName, "The name, which the administrator chose"],
  profile: [ProfileHandle, "The profile whose connections the jobs use"],
  issuer: [Issuer, "The issuer of the tokens"],
  audience: [Schema.String, "The only audience of the tokens"],
  claims: [Claims, claims],
  keys: [Keys, keys],
  ...limits,
  expiresIn: [KeyLifetime, "The lifetime of a job's key in seconds"],
  createdAt: [Timestamp, "When the trust was created"]
})
export type Trust = typeof Trust.Type

export const TrustRemoved = wire("TrustRemoved", "The result of removing a trust", {
  status: [Schema.Literal("removed"), "The trust was removed"],
  name: [TrustName, "The name of the trust"],
  identities: [Schema.Int, "How many identities of jobs were removed with the trust"]
})
