/**
 * Sandboxes: named sets of providers with a token, for programs that `credsvc run` cannot start, such as those in
 * containers and on other machines. They reach their providers through `credsvc proxy`.
 */
import * as Schema from "effect/Schema"
import { ConnectionName } from "./Connection.ts"
import { ProfileHandle } from "./Profile.ts"
import { ProviderName } from "./ProviderName.ts"
import { RuleSets } from "./rules/RuleSet.ts"
import { Timestamp } from "./Timestamp.ts"
import { wire } from "./Wire.ts"

/** 1 to 32 characters of `a-z 0-9 _ -`. The name is a directory name and the user name in the URL of the proxy. */
export const SandboxName = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9_-]{0,31}$/, {
    expected: "a sandbox name: 1 to 32 lower-case letters, digits, '_' or '-', beginning with a letter or digit"
  }),
  Schema.makeFilter((name: string) => !["con", "nul", "prn", "aux", "constructor"].includes(name), {
    expected: "a sandbox name that is not reserved"
  })
).pipe(Schema.brand("SandboxName"))
export type SandboxName = typeof SandboxName.Type

export const Unmatched = Schema.Literals(["allow", "deny"])

const Connections = Schema.Record(Schema.String, ConnectionName)

const minimumSeconds = 60
const maximumSeconds = 30 * 86_400

export const NewSandbox = wire({
  name: SandboxName,
  providers: Schema.Array(ProviderName).check(Schema.isMinLength(1), Schema.isMaxLength(64)).annotate({
    description: "The providers whose credentials the sandbox can use"
  }),
  connections: Schema.optionalKey(Connections.annotate({
    description: "The connection to use for a provider, instead of its default one"
  })),
  unmatched: Schema.optionalKey(Unmatched.annotate({
    description: "Whether the sandbox may reach hosts that belong to none of its providers"
  })),
  rules: Schema.optionalKey(RuleSets.annotate({
    description: "The requests that programs in the sandbox may send to hosts of its providers"
  })),
  expiresIn: Schema.Int.check(Schema.isBetween({ minimum: minimumSeconds, maximum: maximumSeconds })).annotate({
    description: "The lifetime in seconds, from a minute to 30 days"
  })
}, "NewSandbox")
export type NewSandbox = typeof NewSandbox.Type

const fields = {
  name: SandboxName,
  profile: ProfileHandle,
  providers: Schema.Array(ProviderName),
  connections: Connections,
  unmatched: Unmatched,
  rules: RuleSets,
  createdAt: Timestamp,
  expiresAt: Timestamp,
  rotatedAt: Schema.NullOr(Timestamp).annotate({ description: "When the token was last replaced" })
}

export const Sandbox = wire({ ...fields, status: Schema.Literals(["active", "expired"]) }, "Sandbox")
export type Sandbox = typeof Sandbox.Type

/** The token of a sandbox, and the root certificate that programs in it must trust. */
export const SandboxAccess = wire({
  sandbox: Sandbox,
  token: Schema.RedactedFromValue(Schema.String),
  certificate: Schema.String.annotate({ description: "The root certificate of the sandbox, in PEM" })
}, "SandboxAccess")
export type SandboxAccess = typeof SandboxAccess.Type

/** A sandbox as `credsvc proxy` needs it. The key of its certificate authority is a secret. */
export const ServedSandbox = wire({
  name: SandboxName,
  profile: ProfileHandle,
  providers: Schema.Array(ProviderName),
  connections: Connections,
  unmatched: Unmatched,
  rules: RuleSets,
  expiresAt: Timestamp,
  generation: Schema.Int.annotate({ description: "Increases with each new token" }),
  id: Schema.String.annotate({ description: "Distinguishes a sandbox from an earlier one of the same name" }),
  tokenHash: Schema.String.annotate({ description: "The SHA-256 digest of the token, in hexadecimal" }),
  authority: wire({
    commonName: Schema.String,
    names: Schema.Array(Schema.String),
    rootPem: Schema.String,
    keyPem: Schema.RedactedFromValue(Schema.String)
  })
}, "ServedSandbox")
export type ServedSandbox = typeof ServedSandbox.Type

/** All sandboxes of all profiles that have not expired. */
export const ServedSandboxes = wire({
  version: Schema.String,
  sandboxes: Schema.Array(ServedSandbox)
}, "ServedSandboxes")
export type ServedSandboxes = typeof ServedSandboxes.Type

export const SandboxDeleted = wire({ status: Schema.Literal("deleted"), name: SandboxName }, "SandboxDeleted")
