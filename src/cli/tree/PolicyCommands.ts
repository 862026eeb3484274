import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { PolicyName } from "../../domain/rules/PolicyName.ts"
import { calls, lazy, ownRuleFlags, prints, yes } from "./CommandParts.ts"

const policyName = Argument.String("policy").pipe(Argument.withSchema(PolicyName))
const existing = policyName.pipe(Argument.withDescription("Policy name, as shown by `credsvc policy list`"))

const load = () => import("../commands/Policy.ts")

export const policy = Command.make("policy").pipe(
  Command.withDescription(
    "Manage policies: named rules in the vault, to which `credsvc run --policy` and `credsvc sandbox create --policy` limit " +
      "requests"
  ),
  Command.withShortDescription("Manage named rules that limit the requests of runs and sandboxes"),
  Command.withExamples([{ command: "credsvc policy list" }]),
  Command.withSubcommands([
    Command.make("set", {
      policy: policyName.pipe(
        Argument.withDescription("Policy name: 1 to 32 lower-case letters, digits, '_' or '-'")
      ),
      ...ownRuleFlags
    }, lazy(() => load().then((m) => m.set))).pipe(
      calls(["policies.set", "proxy.routes"]),
      prints("policies.set"),
      Command.withDescription(
        "Create a policy, or replace its rules. `--rules -` reads a file with rules from stdin. Running runs keep the rules " +
          "that they were started with"
      ),
      Command.withShortDescription("Create a policy, or replace its rules"),
      Command.withExamples([
        { command: "credsvc policy set triage --allow 'GET api.github.com/repos/acme/**'" },
        { command: "credsvc policy set triage --rules rules.json" },
        { command: "credsvc policy show triage | credsvc policy set copy --rules -" }
      ])
    ),
    Command.make("list", {}, lazy(() => load().then((m) => m.list))).pipe(
      calls(["policies.list"]),
      prints("policies.list"),
      Command.withDescription("List the policies of the profile"),
      Command.withExamples([{ command: "credsvc policy list" }])
    ),
    Command.make("show", { policy: existing }, lazy(() => load().then((m) => m.show))).pipe(
      calls(["policies.get"]),
      prints("policies.get"),
      Command.withDescription("Print the rules of a policy, as a file for `--rules`"),
      Command.withExamples([
        { command: "credsvc policy show triage" },
        { command: "credsvc policy show triage > rules.json" }
      ])
    ),
    Command.make("remove", { policy: existing, yes }, lazy(() => load().then((m) => m.remove))).pipe(
      calls(["policies.remove"]),
      prints("policies.remove"),
      Command.withDescription("Remove a policy; running runs and existing sandboxes keep its rules"),
      Command.withExamples([{ command: "credsvc policy remove triage" }])
    )
  ])
)
