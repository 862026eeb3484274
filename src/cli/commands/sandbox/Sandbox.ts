/** Creates, lists, changes and deletes sandboxes. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Paths } from "../../../config/Paths.ts"
import { RuleSets } from "../../../domain/rules/RuleSchemas.ts"
import type { SandboxName } from "../../../domain/wire/Sandbox.ts"
import { removeDirectory } from "../../../run/SandboxFiles.ts"
import { call, type ReceivedOf } from "../../api/OperationCall.ts"
import { provideDaemon } from "../../daemon/DaemonAccess.ts"
import { Output } from "../../output/Output.ts"
import { checkRouted, readRules } from "../../rules/RuleOptions.ts"
import { readTable } from "../../run/RoutesFromDaemon.ts"
import { namingOptions, parseConnections } from "../../run/RunOptions.ts"
import type { CreateInput } from "../../tree/CommandInputs.ts"
import { confirmed } from "../Confirmations.ts"
import { providerName } from "../provider/ProviderArgument.ts"
import { writeSandbox } from "./SandboxEnv.ts"

/** Rewrites the files of a sandbox, and prints the sandbox without its token. */
const report = Effect.fnUntraced(function*(name: SandboxName, access: ReceivedOf<"sandboxes.access">, done: string) {
  const output = yield* Output
  const { directory } = yield* writeSandbox(name, access)
  if (output.json) return yield* output.document({ ...access.sandbox, directory: directory.mount })
  yield* output.note(
    done,
    `Serve it with: credsvc proxy --sandbox ${name}`,
    `Print the variables for its programs with: credsvc sandbox env ${name} --format docker`
  )
})

export const createSandbox = Effect.fnUntraced(function*(input: CreateInput) {
  const output = yield* Output
  const chosen = yield* parseConnections(input.connections)
  const rules = yield* readRules(input)
  yield* checkRouted(rules, (yield* readTable).routes)
  const access = yield* call("sandboxes.create", {
    name: input.name,
    providers: yield* Effect.forEach(input.providers, providerName),
    connections: Object.fromEntries(chosen),
    unmatched: input.unmatched,
    rules: Schema.encodeSync(RuleSets)(rules),
    ...(input.policies.length === 0 ? {} : { policies: input.policies }),
    strict: input.strict,
    expires_in: Math.ceil(input.expires / 1000)
  }).pipe(Effect.catchTag("InvalidRequestError", namingOptions))
  const { expires_at, providers } = access.sandbox
  const until = output.time(expires_at)
  yield* report(
    input.name,
    access,
    `Created the sandbox ${input.name} for ${providers.join(", ")}. It expires ${until}.`
  )
}, provideDaemon())

export const rotateSandbox = Effect.fnUntraced(function*(input: { readonly name: SandboxName }) {
  const access = yield* call("sandboxes.rotate", input)
  yield* report(
    input.name,
    access,
    `Replaced the token of the sandbox ${input.name}. The previous token no longer works.`
  )
}, provideDaemon())

export const removeSandbox = Effect.fnUntraced(function*(input: { readonly name: SandboxName; readonly yes: boolean }) {
  const output = yield* Output
  const { sandboxes } = yield* Paths
  if (!input.yes) {
    yield* confirmed(`Delete the sandbox ${input.name}? Its programs lose access immediately.`, "Nothing was deleted.")
  }
  const response = yield* call("sandboxes.remove", { name: input.name })
  removeDirectory(sandboxes, input.name)
  if (output.json) return yield* output.document(response)
  yield* output.note(`Deleted the sandbox ${input.name}.`)
}, provideDaemon())
