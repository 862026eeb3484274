/** Sets, lists, shows and removes policies. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { PoliciesGroup } from "../../api/PoliciesGroup.ts"
import { ProxyGroup } from "../../api/ProxyGroup.ts"
import { DaemonClient } from "../../client/DaemonClient.ts"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { Policy } from "../../domain/rules/Policy.ts"
import type { PolicyName } from "../../domain/rules/PolicyName.ts"
import { formatRulesFile } from "../../domain/rules/RulesFile.ts"
import { provideDaemon } from "../daemon/DaemonAccess.ts"
import { confirmed } from "../output/Confirmation.ts"
import { Output } from "../output/Output.ts"
import { checkRouted, readRules, type RuleInput } from "../rules/RuleOptions.ts"

interface Named {
  readonly policy: PolicyName
}

const document = Schema.encodeSync(Policy)

export const set = Effect.fnUntraced(function*(input: Omit<RuleInput, "policies"> & Named) {
  const client = yield* DaemonClient
  const output = yield* Output
  const [rules] = yield* readRules(input, { stdin: true })
  if (rules === undefined) {
    return yield* InvalidRequestError.of([{
      path: "--allow",
      message: "the policy would limit nothing: add --allow, --deny, --read-only or --rules"
    }])
  }
  yield* checkRouted([rules], (yield* client.of(ProxyGroup).routes()).routes)
  const policy = yield* client.of(PoliciesGroup).set({ params: { name: input.policy }, payload: rules })
  if (output.json) return yield* output.document(document(policy))
  yield* output.note(
    DateTime.Equivalence(policy.createdAt, policy.updatedAt)
      ? `Created the policy ${policy.name}. Use it with: credsvc run --policy ${policy.name} -- <command>`
      : `Replaced the rules of the policy ${policy.name}. Running runs and existing sandboxes keep the previous rules.`
  )
}, provideDaemon())

export const list = Effect.fnUntraced(function*() {
  const client = yield* DaemonClient
  const output = yield* Output
  const { policies } = yield* client.of(PoliciesGroup).list()
  const now = yield* DateTime.now
  yield* output.either(
    () => ({ policies: policies.map((policy) => document(policy)) }),
    () =>
      output.table(
        ["POLICY", "ALLOW RULES", "DENY RULES", "READ-ONLY", "CHANGED"],
        policies.map(({ name, rules, updatedAt }) => [
          { text: name },
          { text: String(rules.allow.length) },
          { text: String(rules.deny.length) },
          { text: rules.readonly ? "yes" : "no" },
          { text: output.time(updatedAt, now) }
        ])
      )
  )
}, provideDaemon())

export const show = Effect.fnUntraced(function*({ policy: name }: Named) {
  const client = yield* DaemonClient
  const output = yield* Output
  const policy = yield* client.of(PoliciesGroup).get({ params: { name } })
  if (output.json) return yield* output.document(document(policy))
  yield* output.raw(formatRulesFile(policy.rules))
}, provideDaemon())

export const remove = Effect.fnUntraced(function*({ policy: name, yes }: Named & { readonly yes: boolean }) {
  const client = yield* DaemonClient
  const output = yield* Output
  if (!yes) {
    const question = `Remove the policy ${name}? Running runs and existing sandboxes keep its rules.`
    yield* confirmed(question, "Nothing was removed.")
  }
  const response = yield* client.of(PoliciesGroup).remove({ params: { name } })
  if (output.json) return yield* output.document(response)
  yield* output.note(`Removed the policy ${name}.`)
}, provideDaemon())
