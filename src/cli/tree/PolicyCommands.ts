/** `credsvc policy` and its subcommands. */
import * as Schema from "effect/Schema"
import { PolicyName, PolicyRules } from "../../domain/rules/RuleSchemas.ts"
import { formatRulesFile } from "../../domain/rules/RulesFile.ts"
import { group } from "./CommandParts.ts"
import { operationCommand } from "./OperationCommand.ts"
import * as Param from "./Param.ts"

export const policy = group("policy", {
  description:
    "Manage policies: named sets of rules in the vault, to which `credsvc run --policy` and `credsvc sandbox create --policy` limit " +
    "requests",
  summary: "Manage named rules that limit the requests of runs and sandboxes",
  examples: "credsvc policy list"
}, [
  operationCommand("policies.set", {
    args: {
      name: Param.argument("policy", "Policy name: 1 to 32 lower-case letters, digits, '_' or '-'", PolicyName)
    },
    flags: { ...Param.ownRuleFlags, maxTokens: Param.maxTokens },
    prepare: () => import("../rules/RuleOptions.ts").then((m) => m.readPolicy),
    alsoCalls: ["proxy.routes"],
    description:
      "Create a policy, or replace its rules. `--rules -` reads a file with rules from stdin. Active runs keep the rules " +
      "that they were started with",
    summary: "Create a policy, or replace its rules",
    examples: `
  credsvc policy set triage --allow 'GET api.github.com/repos/acme/**'
  credsvc policy set triage --rules rules.json
  credsvc policy show triage | credsvc policy set copy --rules -`,
    text: ({ created_at, name, updated_at }, output) =>
      output.note(
        created_at === updated_at
          ? `Created the policy ${name}. Use it with: credsvc run --policy ${name} -- <command>`
          : `Replaced the rules of the policy ${name}. Active runs and existing sandboxes keep the previous rules.`
      )
  }),
  operationCommand("policies.list", {
    examples: "credsvc policy list",
    text: ({ policies }, output) =>
      output.data(output.table(policies, {
        POLICY: ({ name }) => name,
        "ALLOW RULES": ({ rules }) => String(rules.allow.length),
        "DENY RULES": ({ rules }) => String(rules.deny.length),
        "READ-ONLY": ({ rules }) => rules.readonly ? "yes" : "no",
        CHANGED: ({ updated_at }) => output.time(updated_at)
      }))
  }),
  operationCommand("policies.get", {
    name: "show",
    description: "Print the rules of a policy, as a file for `--rules`",
    summary: "Print the rules of a policy",
    examples: `
  credsvc policy show triage
  credsvc policy show triage > rules.json`,
    text: ({ rules }, output) => output.raw(formatRulesFile(Schema.decodeSync(PolicyRules)(rules)))
  }),
  operationCommand("policies.remove", {
    flags: { yes: Param.yes },
    prepare: () => import("../commands/Confirmations.ts").then((m) => m.removePolicy),
    examples: "credsvc policy remove triage",
    text: ({ name }, output) => output.note(`Removed the policy ${name}.`)
  })
])
