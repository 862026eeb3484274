/** Manages the policies of profiles: named rule sets in sealed rows. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { AuditLog } from "../audit/AuditLog.ts"
import { InvalidRequestError, OperationNotAllowedError } from "../domain/Errors.ts"
import type { Policy } from "../domain/rules/Policy.ts"
import { MAX_RULES, parseRule } from "../domain/rules/Rule.ts"
import { PolicyName, PolicyRules } from "../domain/rules/RuleSchemas.ts"
import { isUnlimited } from "../domain/rules/RuleSet.ts"
import { ProfileHandle } from "../domain/wire/Profile.ts"
import { Timestamp } from "../domain/wire/Wire.ts"
import { StoreManifest } from "../vault/manifest/StoreManifest.ts"
import { jsonContent, makeSealedRepo, nextVersion } from "../vault/SealedRepo.ts"

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

const makeRepo = makeSealedRepo({
  table: "policies",
  key: ["record_id"],
  row: Row,
  contents: { sealed: jsonContent("rules", PolicyRules) },
  names: ({ name, profile }) => ({ profile, provider: "policy", connection: name })
})

const MAX_POLICIES = 256

/** Returns the canonical form of a rule that the schema of the request has validated. */
const canonicalRule = (text: string): string => Result.getOrThrow(parseRule(text)).text

const unknownPolicy = (name: PolicyName) =>
  OperationNotAllowedError.of(`Unknown policy "${name}". List the policies with: credsvc policy list`)

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const manifest = yield* StoreManifest
  const repo = yield* makeRepo
  const audit = yield* AuditLog

  const open = (row: Row) =>
    Effect.map(repo.open(row, "sealed"), (rules): Policy => {
      const { created_at: createdAt, name, profile, updated_at: updatedAt } = row
      return { name, profile, rules, createdAt, updatedAt }
    })

  const rowNamed = (profile: ProfileHandle, name: PolicyName) =>
    repo.row(sql`WHERE profile = ${profile} AND name = ${name}`)

  const requireRow = Effect.fnUntraced(function*(profile: ProfileHandle, name: PolicyName) {
    return (yield* rowNamed(profile, name)) ?? (yield* unknownPolicy(name))
  })

  /** Lists the policies of a profile, by name. */
  const list = Effect.fn("Policies.list")(function*(profile: ProfileHandle) {
    const found = yield* repo.rows(sql`WHERE profile = ${profile} ORDER BY name`)
    return yield* Effect.forEach(found, open)
  })

  const get = Effect.fn("Policies.get")(function*(profile: ProfileHandle, name: PolicyName) {
    return yield* open(yield* requireRow(profile, name))
  })

  /** Creates a policy, or replaces its rules. Fails if the rules restrict nothing. */
  const set = Effect.fn("Policies.set")(function*(profile: ProfileHandle, name: PolicyName, given: PolicyRules) {
    if (isUnlimited(given)) {
      return yield* InvalidRequestError.at(
        "/allow",
        "the policy would limit nothing: give it a rule, make it read-only, or limit its tokens"
      )
    }
    const rules = { ...given, allow: given.allow.map(canonicalRule), deny: given.deny.map(canonicalRule) }
    const tooLong = (["allow", "deny"] as const).find((list) => rules[list].length > MAX_RULES)
    if (tooLong !== undefined) {
      return yield* InvalidRequestError.at(`/${tooLong}`, `the policy would have more than ${MAX_RULES} rules`)
    }
    return yield* manifest.transact(Effect.gen(function*() {
      const before = yield* rowNamed(profile, name)
      if (before === undefined && (yield* repo.rows(sql`WHERE profile = ${profile}`)).length >= MAX_POLICIES) {
        return yield* OperationNotAllowedError.of(
          `The profile has ${MAX_POLICIES} policies, which is the limit. Remove one with: credsvc policy remove <name>`
        )
      }
      const version = yield* nextVersion(before)
      yield* repo.put(before, { ...version, profile, name }, { sealed: rules })
      yield* audit.append({ event: "policy-set", connection: name, identity: profile, status: "ok" })
      return { name, profile, rules, createdAt: version.created_at, updatedAt: version.updated_at }
    }))
  })

  /** Adds allow rules to all of these policies, or to none of them. */
  const extend = Effect.fn("Policies.extend")(
    function*(profile: ProfileHandle, names: ReadonlyArray<PolicyName>, given: ReadonlyArray<string>) {
      const allowed = given.map(canonicalRule)
      // Runs in one transaction, so that concurrent changes are not overwritten.
      yield* manifest.transact(Effect.forEach(
        new Set(names),
        Effect.fnUntraced(function*(name) {
          const { rules } = yield* get(profile, name)
          const added = allowed.filter((rule) => !rules.allow.includes(rule))
          // A policy without allow rules allows everything, and a first allow rule would deny everything else.
          if (rules.allow.length === 0 || added.length === 0) return
          yield* set(profile, name, { ...rules, allow: [...rules.allow, ...added] })
        }),
        { discard: true }
      ))
    }
  )

  const remove = Effect.fn("Policies.remove")(function*(profile: ProfileHandle, name: PolicyName) {
    yield* manifest.transact(Effect.gen(function*() {
      yield* repo.remove(yield* requireRow(profile, name))
      yield* audit.append({ event: "policy-remove", connection: name, identity: profile, status: "ok" })
    }))
  })

  /** Returns the rules of these policies, as one rule set for each. */
  const ruleSets = (profile: ProfileHandle, names: ReadonlyArray<PolicyName>) =>
    Effect.forEach(
      new Set(names),
      (name) => Effect.map(get(profile, name), ({ rules }) => ({ ...rules, policy: name }))
    )

  return { list, get, ruleSets, set, extend, remove }
})

export class Policies extends Context.Service<Policies, Effect.Success<typeof make>>()("credsvc/policies/Policies") {
  static readonly layerNoDeps = Layer.effect(Policies, make)
}
