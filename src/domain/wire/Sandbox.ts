/**
 * Sandboxes: named sets of providers with a token, for programs that `credsvc run` cannot start, such as those in
 * containers and on other machines. They reach their providers through `credsvc proxy`.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { PolicyName } from "../rules/PolicyName.ts"
import { MAX_RULE_SETS } from "../rules/Rule.ts"
import { RuleSets } from "../rules/RuleSchemas.ts"
import { ConnectionName } from "./Connection.ts"
import { ProfileHandle } from "./Profile.ts"
import { ProviderName } from "./ProviderName.ts"
import { Unmatched } from "./Run.ts"
import { Timestamp } from "./Timestamp.ts"
import { named, wire } from "./Wire.ts"

/** 1 to 32 characters of `a-z 0-9 _ -`. The name is a directory name and the user name in the URL of the proxy. */
export const SandboxName = Schema.String.pipe(named("SandboxName", "The name of a sandbox")).check(
  Schema.isPattern(/^[a-z0-9][a-z0-9_-]{0,31}$/u, {
    expected: "a sandbox name: 1 to 32 lower-case letters, digits, '_' or '-', beginning with a letter or digit"
  }),
  Schema.makeFilter((name: string) => !["con", "nul", "prn", "aux", "constructor"].includes(name), {
    expected: "a sandbox name that is not reserved"
  })
).pipe(Schema.brand("SandboxName"))
export type SandboxName = typeof SandboxName.Type

export { Unmatched }

const Connections = Schema.Record(Schema.String, ConnectionName)

const minimumSeconds = 60
const maximumSeconds = 30 * 86_400

export const NewSandbox = wire(
  {
    name: SandboxName,
    providers: Schema.Array(ProviderName).check(Schema.isMinLength(1), Schema.isMaxLength(64)),
    connections: Schema.optionalKey(Connections),
    unmatched: Schema.optionalKey(Unmatched),
    rules: Schema.optionalKey(RuleSets),
    policies: Schema.optionalKey(Schema.Array(PolicyName).check(Schema.isMaxLength(MAX_RULE_SETS - 1))),
    strict: Schema.optionalKey(Schema.Boolean),
    expiresIn: Schema.Int.check(Schema.isBetween({ minimum: minimumSeconds, maximum: maximumSeconds }))
  },
  "NewSandbox",
  "The sandbox to create",
  {
    name: "The name of the sandbox",
    providers: "The providers whose credentials the sandbox can use",
    connections: "The connection to use for a provider, instead of its default one",
    unmatched: "Whether the sandbox may reach hosts that belong to none of its providers; `allow` when absent",
    rules: "The requests that programs in the sandbox may send to hosts of its providers; all when absent",
    policies: "Policies whose rules become rules of the sandbox",
    strict: "Whether the sandbox gets no more credentials after a misplaced placeholder; false when absent",
    expiresIn: "The lifetime in seconds, from a minute to 30 days"
  }
)
export type NewSandbox = typeof NewSandbox.Type

const limits = {
  name: SandboxName,
  profile: ProfileHandle,
  providers: Schema.Array(ProviderName),
  connections: Connections,
  unmatched: Unmatched,
  rules: RuleSets,
  strict: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false)))
}

const fields = {
  ...limits,
  createdAt: Timestamp,
  expiresAt: Timestamp,
  rotatedAt: Schema.NullOr(Timestamp),
  frozenAt: Schema.NullOr(Timestamp).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
}

const descriptions = {
  name: "The name of the sandbox",
  profile: "The profile whose connections the sandbox uses",
  providers: "The providers whose credentials the sandbox can use",
  connections: "The connection to use for a provider, instead of its default one",
  unmatched: "Whether the sandbox may reach hosts that belong to none of its providers",
  rules: "The requests that programs in the sandbox may send to hosts of its providers",
  strict: "Whether the sandbox gets no more credentials after a misplaced placeholder",
  expiresAt: "When the sandbox expires"
}

const SandboxStatus = Schema.Literals(["active", "expired"]).pipe(
  named("SandboxStatus", "Whether the token of a sandbox is valid")
)

export const Sandbox = wire({ ...fields, status: SandboxStatus }, "Sandbox", "Limited access for a program elsewhere", {
  ...descriptions,
  createdAt: "When the sandbox was created",
  frozenAt:
    "When a misplaced placeholder ended the permission of a strict sandbox, until it gets another token; null if none did",
  rotatedAt: "When the token was last replaced; null if it never was",
  status: "Whether the token is valid"
})
export type Sandbox = typeof Sandbox.Type

export const SandboxAccess = wire(
  {
    sandbox: Sandbox,
    token: Schema.RedactedFromValue(Schema.String),
    certificate: Schema.String
  },
  "SandboxAccess",
  "What programs in a sandbox need to reach the proxy",
  {
    sandbox: "The sandbox",
    token: "The token that admits programs of the sandbox to the proxy",
    certificate: "The root certificate of the sandbox, in PEM, which its programs must trust"
  }
)
export type SandboxAccess = typeof SandboxAccess.Type

const SandboxAuthority = wire(
  {
    commonName: Schema.String,
    names: Schema.Array(Schema.String),
    rootPem: Schema.String,
    keyPem: Schema.RedactedFromValue(Schema.String)
  },
  "SandboxAuthority",
  "The certificate authority of a sandbox, limited to the hosts of its providers",
  {
    commonName: "The common name of the root certificate",
    names: "The host names that it may issue certificates for",
    rootPem: "The root certificate, in PEM",
    keyPem: "The private key, in PEM"
  }
)

export const ServedSandbox = wire(
  {
    ...limits,
    expiresAt: Timestamp,
    generation: Schema.Int,
    id: Schema.String,
    tokenHash: Schema.String,
    authority: SandboxAuthority
  },
  "ServedSandbox",
  "A sandbox as `credsvc proxy` needs it",
  {
    ...descriptions,
    generation: "Increases with each new token",
    id: "Distinguishes a sandbox from an earlier one of the same name",
    tokenHash: "The SHA-256 digest of the token, in hexadecimal",
    authority: "The certificate authority of the sandbox"
  }
)
export type ServedSandbox = typeof ServedSandbox.Type

export const ServedSandboxes = wire(
  {
    version: Schema.String,
    sandboxes: Schema.Array(ServedSandbox)
  },
  "ServedSandboxes",
  "All sandboxes of all profiles that have not expired",
  {
    version: "Changes with every change of the sandboxes; also the ETag",
    sandboxes: "The sandboxes"
  }
)
export type ServedSandboxes = typeof ServedSandboxes.Type

export const SandboxDeleted = wire(
  { status: Schema.Literal("deleted"), name: SandboxName },
  "SandboxDeleted",
  "The result of deleting a sandbox",
  { status: "The sandbox was deleted", name: "Its name" }
)
