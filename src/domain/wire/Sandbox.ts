/**
 * Sandboxes: named sets of providers with a token, for programs that `credsvc run` cannot start, such as programs in
 * containers and on other machines. They reach their providers through `credsvc proxy`.
 */
import * as Schema from "effect/Schema"
import { MAX_RULE_SETS } from "../rules/Rule.ts"
import { PolicyName, RuleSets } from "../rules/RuleSchemas.ts"
import { ConnectionName } from "./Connection.ts"
import { ProfileHandle } from "./Profile.ts"
import { ProviderName } from "./ProviderName.ts"
import { Unmatched } from "./Run.ts"
import { named, Timestamp, wire, withDefault } from "./Wire.ts"

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

const Connections = Schema.Record(Schema.String, ConnectionName)

const minimumSeconds = 60
const maximumSeconds = 30 * 86_400

export const NewSandbox = wire("NewSandbox", "The sandbox to create", {
  name: [SandboxName, "The name of the sandbox"],
  providers: [
    Schema.Array(ProviderName).check(Schema.isMinLength(1), Schema.isMaxLength(64)),
    "The providers whose credentials the sandbox can use"
  ],
  connections: [Schema.optionalKey(Connections), "The connections to use in place of the default connections"],
  unmatched: [
    Schema.optionalKey(Unmatched),
    "Whether the sandbox may reach hosts that belong to none of its providers. The default is `allow`"
  ],
  rules: [
    Schema.optionalKey(RuleSets),
    "The requests that programs in the sandbox may send to hosts of its providers. When absent, they may send any request"
  ],
  policies: [
    Schema.optionalKey(Schema.Array(PolicyName).check(Schema.isMaxLength(MAX_RULE_SETS - 1))),
    "Policies whose rules become rules of the sandbox"
  ],
  strict: [
    Schema.optionalKey(Schema.Boolean),
    "Whether the sandbox gets no more credentials after a misplaced placeholder. The default is false"
  ],
  expiresIn: [
    Schema.Int.check(Schema.isBetween({ minimum: minimumSeconds, maximum: maximumSeconds })),
    "The lifetime in seconds, from a minute to 30 days"
  ]
})
export type NewSandbox = typeof NewSandbox.Type

const limits = {
  name: [SandboxName, "The name of the sandbox"],
  profile: [ProfileHandle, "The profile whose connections the sandbox uses"],
  providers: [Schema.Array(ProviderName), "The providers whose credentials the sandbox can use"],
  connections: [Connections, "The connections to use in place of the default connections"],
  unmatched: [Unmatched, "Whether the sandbox may reach hosts that belong to none of its providers"],
  rules: [RuleSets, "The requests that programs in the sandbox may send to hosts of its providers"],
  strict: [
    withDefault(Schema.Boolean, false),
    "Whether the sandbox gets no more credentials after a misplaced placeholder"
  ],
  expiresAt: [Timestamp, "When the sandbox expires"]
} as const

const fields = {
  ...limits,
  createdAt: [Timestamp, "When the sandbox was created"],
  rotatedAt: [Schema.NullOr(Timestamp), "When the token was last replaced; null if it never was"],
  frozenAt: [
    withDefault(Schema.NullOr(Timestamp), null),
    "When a misplaced placeholder froze this strict sandbox, which gets no credentials until its token is rotated; " +
    "null if it is not frozen"
  ]
} as const

const SandboxStatus = Schema.Literals(["active", "expired"]).pipe(
  named("SandboxStatus", "Whether the token of a sandbox is valid")
)

export const Sandbox = wire("Sandbox", "Limited access for programs in containers or on other machines", {
  ...fields,
  status: [SandboxStatus, "Whether the token is valid"]
})
export type Sandbox = typeof Sandbox.Type

export const SandboxAccess = wire("SandboxAccess", "What programs in a sandbox need to reach the proxy", {
  sandbox: [Sandbox, "The sandbox"],
  token: [Schema.RedactedFromValue(Schema.String), "The token that admits programs of the sandbox to the proxy"],
  certificate: [Schema.String, "The root certificate of the sandbox, in PEM, which programs must trust"]
})
export type SandboxAccess = typeof SandboxAccess.Type

const SandboxAuthority = wire(
  "SandboxAuthority",
  "The certificate authority of a sandbox, limited to the hosts of its providers",
  {
    commonName: [Schema.String, "The common name of the root certificate"],
    names: [Schema.Array(Schema.String), "The host names for which the authority may issue certificates"],
    rootPem: [Schema.String, "The root certificate, in PEM"],
    keyPem: [Schema.RedactedFromValue(Schema.String), "The private key, in PEM"]
  }
)

export const ServedSandbox = wire("ServedSandbox", "A sandbox as `credsvc proxy` needs it", {
  ...limits,
  generation: [Schema.Int, "Increases with each new token"],
  id: [Schema.String, "Distinguishes a sandbox from earlier sandboxes of the same name"],
  tokenHash: [Schema.String, "The SHA-256 digest of the token, in hexadecimal"],
  authority: [SandboxAuthority, "The certificate authority of the sandbox"]
})
export type ServedSandbox = typeof ServedSandbox.Type

export const ServedSandboxes = wire("ServedSandboxes", "The sandboxes of all profiles, without expired ones", {
  version: [Schema.String, "Changes with every change of the sandboxes; also the ETag"],
  sandboxes: [Schema.Array(ServedSandbox), "The sandboxes"]
})
export type ServedSandboxes = typeof ServedSandboxes.Type

export const SandboxDeleted = wire("SandboxDeleted", "The result of deleting a sandbox", {
  status: [Schema.Literal("deleted"), "The sandbox was deleted"],
  name: [SandboxName, "The sandbox"]
})
