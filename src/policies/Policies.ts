/** Manages the policies of profiles: named rule sets in sealed rows. */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { AuditLog } from "../audit/AuditLog.ts"
import { InvalidRequestError, OperationNotAllowedError, type VaultUnavailableError } from "../domain/Errors.ts"
import type { Policy } from "../domain/rules/Policy.ts"
import { PolicyName } from "../domain/rules/PolicyName.ts"
import { MAX_RULES, parseRule } from "../domain/rules/Rule.ts"
import { PolicyRules, type RuleSet } from "../domain/rules/RuleSchemas.ts"
import { isUnlimited } from "../domain/rules/RuleSet.ts"
import type { AuditEvent } from "../domain/wire/AuditEntry.ts"
import type { ConnectionName } from "../domain/wire/Connection.ts"
import { ProfileHandle } from "../domain/wire/Profile.ts"
import { Timestamp } from "../domain/wire/Timestamp.ts"
import { builtins } from "../platform/builtins.ts"
import { sealedTable } from "../vault/SealedTable.ts"
import type { SecretIdentity } from "../vault/SecretIdentity.ts"
import { StoreManifest } from "../vault/StoreManifest.ts"
import { rowsOf } from "../vault/StoreRows.ts"
import { Vault } from "../vault/Vault.ts"

const contentJson = Schema.fromJsonString(PolicyRules)
const encode = Schema.encodeEffect(contentJson)
const decode = Schema.decodeUnknownEffect(contentJson)

const Row = Schema.Struct({
  record_id: Schema.String,
  profile: ProfileHandle,
  name: PolicyName,
  generation: Schema.Int,
  created_at: Timestamp,
  updated_at: Timestamp,
  sealed: Schema.Uint8Array
})
type Row = typeof Row.Type

const rows = rowsOf(Row)

type RowKey = Pick<Row, "generation" | "name" | "profile" | "record_id">

const identityOf = (key: RowKey): SecretIdentity => ({
  profile: key.profile,
  provider: "policy",
  connection: key.name,
  field: "rules",
  recordId: key.record_id,
  generation: key.generation,
  definitionFp: ""
})

/** The name of a policy in the audit log, whose entries have no other field for it. */
export const asConnection = (name: PolicyName) => name as string as ConnectionName

const MAX_POLICIES = 256

const canonical = (text: string): string => Result.getOrThrow(parseRule(text)).text

const unknown = (name: PolicyName) =>
  OperationNotAllowedError.of(`Unknown policy "${name}". List the policies with: credsvc policy list`)

export class Policies extends Context.Service<Policies, {
  /** The policies of a profile, by name. */
  readonly list: (profile: ProfileHandle) => Effect.Effect<ReadonlyArray<Policy>, VaultUnavailableError>

  readonly get: (
    profile: ProfileHandle,
    name: PolicyName
  ) => Effect.Effect<Policy, OperationNotAllowedError | VaultUnavailableError>

  /** The rules of these policies, each as a set. */
  readonly ruleSets: (
    profile: ProfileHandle,
    names: ReadonlyArray<PolicyName>
  ) => Effect.Effect<ReadonlyArray<RuleSet>, OperationNotAllowedError | VaultUnavailableError>

  /** Creates a policy, or replaces its rules. Fails if the rules limit nothing. */
  readonly set: (
    profile: ProfileHandle,
    name: PolicyName,
    rules: PolicyRules
  ) => Effect.Effect<Policy, InvalidRequestError | OperationNotAllowedError | VaultUnavailableError>

  /** Adds allow rules to those of all policies, or to none. A policy without allow rules allows everything, and stays as it is. */
  readonly extend: (
    profile: ProfileHandle,
    names: ReadonlyArray<PolicyName>,
    rules: ReadonlyArray<string>
  ) => Effect.Effect<void, InvalidRequestError | OperationNotAllowedError | VaultUnavailableError>

  readonly remove: (
    profile: ProfileHandle,
    name: PolicyName
  ) => Effect.Effect<void, OperationNotAllowedError | VaultUnavailableError>
}>()("credsvc/policies/Policies") {
  static readonly layerNoDeps: Layer.Layer<
    Policies,
    never,
    AuditLog | SqlClient.SqlClient | StoreManifest | Vault
  > = Layer.effect(
    Policies,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const manifest = yield* StoreManifest
      const vault = yield* Vault
      yield* vault.addTable(sealedTable("policies", ["record_id"], Row, (row) => ({ sealed: identityOf(row) })))
      const audit = yield* AuditLog

      const record = (event: AuditEvent, identity: ProfileHandle, name: PolicyName) =>
        audit.append({ event, provider: null, connection: asConnection(name), identity, status: "ok" })

      const open = Effect.fnUntraced(function*(row: Row): Effect.fn.Return<Policy, VaultUnavailableError> {
        const text = yield* vault.open(identityOf(row), row.sealed)
        const { created_at: createdAt, name, profile, updated_at: updatedAt } = row
        return { name, profile, rules: yield* Effect.orDie(decode(Redacted.value(text))), createdAt, updatedAt }
      })

      const rowNamed = (profile: ProfileHandle, name: PolicyName) =>
        Effect.map(
          rows(sql`SELECT * FROM policies WHERE profile = ${profile} AND name = ${name}`),
          ([row]) => row
        )

      const own = Effect.fnUntraced(function*(profile: ProfileHandle, name: PolicyName) {
        return (yield* rowNamed(profile, name)) ?? (yield* unknown(name))
      })

      const list = Effect.fn("Policies.list")(function*(profile: ProfileHandle) {
        yield* manifest.ready
        const found = yield* rows(sql`SELECT * FROM policies WHERE profile = ${profile} ORDER BY name`)
        return yield* Effect.forEach(found, open)
      })

      const get = Effect.fn("Policies.get")(function*(profile: ProfileHandle, name: PolicyName) {
        yield* manifest.ready
        return yield* open(yield* own(profile, name))
      })

      const set = Effect.fn("Policies.set")(function*(profile: ProfileHandle, name: PolicyName, given: PolicyRules) {
        if (isUnlimited(given)) {
          return yield* InvalidRequestError.of([{
            path: "/allow",
            message: "the policy would limit nothing: give it a rule, or make it read-only"
          }])
        }
        const rules = {
          allow: given.allow.map(canonical),
          deny: given.deny.map(canonical),
          readonly: given.readonly
        }
        if (rules.allow.length > MAX_RULES || rules.deny.length > MAX_RULES) {
          return yield* InvalidRequestError.of([{
            path: rules.allow.length > MAX_RULES ? "/allow" : "/deny",
            message: `the policy would have more than ${MAX_RULES} rules`
          }])
        }
        const text = Redacted.make(yield* Effect.orDie(encode(rules)))
        const now = yield* DateTime.now
        return yield* manifest.transact(Effect.gen(function*() {
          const before = yield* rowNamed(profile, name)
          if (before === undefined && (yield* list(profile)).length >= MAX_POLICIES) {
            return yield* OperationNotAllowedError.of(
              `The profile has ${MAX_POLICIES} policies, which is the limit. Remove one with: credsvc policy remove <name>`
            )
          }
          const key = {
            record_id: before?.record_id ?? builtins.crypto.randomBytes(16).toString("hex"),
            profile,
            name,
            generation: (before?.generation ?? 0) + 1
          }
          const sealed = yield* vault.seal(identityOf(key), text)
          const createdAt = before?.created_at ?? now
          const updated = { generation: key.generation, updated_at: DateTime.formatIso(now), sealed }
          yield* before === undefined
            ? sql`INSERT INTO policies ${sql.insert({ ...key, ...updated, created_at: DateTime.formatIso(createdAt) })}`
            : sql`UPDATE policies SET ${sql.update(updated)} WHERE record_id = ${key.record_id}`
          yield* record("policy-set", profile, name)
          return { name, profile, rules, createdAt, updatedAt: now }
        }))
      })

      const extend = Effect.fn("Policies.extend")(function*(
        profile: ProfileHandle,
        names: ReadonlyArray<PolicyName>,
        given: ReadonlyArray<string>
      ) {
        const allowed = given.map(canonical)
        // One transaction, which overwrites no change that is made meanwhile.
        yield* manifest.transact(Effect.forEach(
          new Set(names),
          Effect.fnUntraced(function*(name) {
            const { rules } = yield* get(profile, name)
            const added = allowed.filter((rule) => !rules.allow.includes(rule))
            // The first allow rule would refuse everything else.
            if (rules.allow.length === 0 || added.length === 0) return
            yield* set(profile, name, { ...rules, allow: [...rules.allow, ...added] })
          }),
          { discard: true }
        ))
      })

      const remove = Effect.fn("Policies.remove")(function*(profile: ProfileHandle, name: PolicyName) {
        yield* manifest.transact(Effect.gen(function*() {
          const { record_id: id } = yield* own(profile, name)
          yield* sql`DELETE FROM policies WHERE record_id = ${id}`
          yield* record("policy-remove", profile, name)
        }))
      })

      const ruleSets = (profile: ProfileHandle, names: ReadonlyArray<PolicyName>) =>
        Effect.forEach(
          new Set(names),
          (name) => Effect.map(get(profile, name), ({ rules }) => ({ ...rules, policy: name }))
        )

      return Policies.of({ list, get, ruleSets, set, extend, remove })
    })
  )
}
