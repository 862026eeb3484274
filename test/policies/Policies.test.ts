import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import type { PolicyName, PolicyRules } from "../../src/domain/rules/RuleSchemas.ts"
import type { ProfileHandle } from "../../src/domain/wire/Profile.ts"
import { Policies } from "../../src/policies/Policies.ts"
import { Profiles } from "../../src/profiles/Profiles.ts"
import { failsWith } from "../support/Failures.ts"
import { testsIn } from "../support/Fixture.ts"
import { contentOf, foundation, tamper, withHome } from "../support/Services.ts"
import { type Returned, toEffect } from "../support/TestBody.ts"

const triage = "triage" as PolicyName

const rules = (changes: Partial<PolicyRules> = {}): PolicyRules => ({
  allow: ["GET api.acme.example/secret-project/**"],
  deny: [],
  readonly: false,
  ...changes
})

interface Context {
  readonly policies: Policies["Service"]
  readonly profile: ProfileHandle
  readonly events: Effect.Effect<ReadonlyArray<string>, unknown>
}

/** Runs the body in a new process on the home. */
const started = <A>(home: string, body: (context: Context) => Returned<A>) =>
  Effect.gen(function*() {
    const audit = yield* AuditLog
    return yield* toEffect(body({
      policies: yield* Policies,
      profile: yield* (yield* Profiles).active,
      events: Effect.map(
        audit.list({ limit: 99 }),
        (entries) => entries.map(({ connection, event }) => `${event} ${connection ?? "-"}`)
      )
    }))
  }).pipe(Effect.provide(Policies.layerNoDeps.pipe(Layer.provideMerge(foundation(home)))))

const withPolicies = <A>(body: (context: Context) => Returned<A>) => withHome((home) => started(home, body))

const { effect } = testsIn(withPolicies)

describe("Policies", () => {
  it.effect("returns the rules in the next process in their canonical form, and stores them sealed", () =>
    withHome(function*(home) {
      const created = yield* started(
        home,
        ({ policies, profile }) =>
          policies.set(profile, triage, rules({ allow: ["post,get api.acme.example/secret-project/**"] }))
      )
      yield* started(home, function*({ policies, profile }) {
        assert.deepStrictEqual(yield* policies.get(profile, triage), created)
        assert.deepStrictEqual(yield* policies.list(profile), [created])
        assert.deepStrictEqual(created.rules.allow, ["GET,POST api.acme.example/secret-project/**"])
        assert.deepStrictEqual(yield* policies.ruleSets(profile, [triage, triage]), [{
          ...created.rules,
          policy: triage
        }])
        assert.notInclude(contentOf(home), "secret-project")
      })
    }))

  effect("replaces the rules of a policy, and keeps when it was created", function*({ policies, profile }) {
    const { createdAt } = yield* policies.set(profile, triage, rules())
    yield* TestClock.adjust("1 minute")
    const changed = yield* policies.set(profile, triage, rules({ readonly: true }))
    assert.deepStrictEqual(changed.createdAt, createdAt)
    assert.isAbove(changed.updatedAt.epochMilliseconds, createdAt.epochMilliseconds)
    assert.deepStrictEqual(yield* policies.list(profile), [changed])
  })

  it.effect("rejects a policy that would limit nothing", () =>
    withPolicies(({ policies, profile }) =>
      failsWith(policies.set(profile, triage, rules({ allow: [] })), "InvalidRequestError")
    ))

  effect("extends all policies together, and loses no change that is made meanwhile", function*({ policies, profile }) {
    const other = "other" as PolicyName
    const deny = ["api.acme.example/admin/**"]
    yield* policies.set(profile, triage, rules())
    yield* policies.set(profile, other, rules())
    const added = Array.from({ length: 6 }, (_, at) => `POST api.acme.example/${at}`)
    yield* Effect.all([
      ...added.map((rule) => policies.extend(profile, [triage, other], [rule])),
      policies.set(profile, triage, rules({ deny }))
    ], { concurrency: "unbounded" })
    assert.deepStrictEqual((yield* policies.get(profile, triage)).rules.deny, deny)
    assert.sameMembers((yield* policies.get(profile, other)).rules.allow.slice(1), added)
  })

  effect("extends none of the policies if one is unknown or would be too long", function*({ policies, profile }) {
    const full = "full" as PolicyName
    yield* policies.set(profile, triage, rules())
    yield* policies.set(
      profile,
      full,
      rules({ allow: Array.from({ length: 256 }, (_, at) => `api.acme.example/${at}`) })
    )
    const extend = (name: PolicyName) => policies.extend(profile, [triage, name], ["POST api.acme.example"])
    yield* failsWith(extend("unknown" as PolicyName), "OperationNotAllowedError")
    yield* failsWith(extend(full), "InvalidRequestError")
    assert.deepStrictEqual((yield* policies.get(profile, triage)).rules, rules())
  })

  effect("does not change a policy without allow rules", function*({ policies, profile }) {
    yield* policies.set(profile, triage, rules({ allow: [], readonly: true }))
    yield* policies.extend(profile, [triage], ["POST api.acme.example"])
    assert.deepStrictEqual((yield* policies.get(profile, triage)).rules.allow, [])
  })

  effect("keeps the policies of profiles apart", function*({ policies, profile }) {
    const other = "other" as ProfileHandle
    yield* policies.set(profile, triage, rules())
    assert.deepStrictEqual(yield* policies.list(other), [])
    yield* failsWith(policies.get(other, triage), "OperationNotAllowedError")
    yield* failsWith(policies.remove(other, triage), "OperationNotAllowedError")
    yield* failsWith(policies.ruleSets(other, [triage]), "OperationNotAllowedError")
    assert.lengthOf(yield* policies.list(profile), 1)
  })

  effect("records every change in the audit log", function*({ events, policies, profile }) {
    yield* policies.set(profile, triage, rules())
    yield* policies.set(profile, triage, rules({ readonly: true }))
    yield* policies.remove(profile, triage)
    assert.deepStrictEqual((yield* events).filter((event) => event.startsWith("policy")), [
      "policy-set triage",
      "policy-set triage",
      "policy-remove triage"
    ])
    yield* failsWith(policies.get(profile, triage), "OperationNotAllowedError")
  })

  it.effect("detects a row that was renamed outside of credsvc", () =>
    withHome(function*(home) {
      yield* started(home, ({ policies, profile }) => policies.set(profile, "open" as PolicyName, rules()))
      tamper(home, "UPDATE policies SET name = 'triage'")
      yield* started(home, ({ policies, profile }) => failsWith(policies.list(profile), "VaultUnavailableError"))
    }))
})
