/** Creates, lists, changes and deletes sandboxes. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ProxyGroup } from "../../../api/ProxyGroup.ts"
import { SandboxesGroup } from "../../../api/SandboxesGroup.ts"
import { DaemonClient } from "../../../client/DaemonClient.ts"
import { Paths } from "../../../config/Paths.ts"
import { Sandbox, type SandboxAccess, type SandboxName } from "../../../domain/wire/Sandbox.ts"
import { removeDirectory } from "../../../run/SandboxFiles.ts"
import { provideDaemon } from "../../daemon/DaemonAccess.ts"
import { Output } from "../../output/Output.ts"
import { checkRouted, readRules } from "../../rules/RuleOptions.ts"
import { namingOptions, parseConnections } from "../../run/RunOptions.ts"
import type { CreateInput } from "../../tree/CommandInputs.ts"
import { confirmed } from "../Confirmations.ts"
import { providerName } from "../provider/ProviderArgument.ts"
import { writeSandbox } from "./SandboxEnv.ts"

const document = Schema.encodeSync(Sandbox)

/** Rewrites the files of a sandbox, and prints the sandbox without its token. */
const report = Effect.fnUntraced(function*(access: SandboxAccess, done: string) {
  const output = yield* Output
  const { directory } = yield* writeSandbox(access)
  const { sandbox } = access
  if (output.json) return yield* output.document({ ...document(sandbox), directory: directory.mount })
  yield* output.note(
    done,
    `Serve it with: credsvc proxy --sandbox ${sandbox.name}`,
    `Print the variables for its programs with: credsvc sandbox env ${sandbox.name} --format docker`
  )
})

export const create = Effect.fnUntraced(function*(input: CreateInput) {
  const client = yield* DaemonClient
  const output = yield* Output
  const chosen = yield* parseConnections(input.connections)
  const rules = yield* readRules(input)
  yield* checkRouted(rules, (yield* client.of(ProxyGroup).routes()).routes)
  const access = yield* client.of(SandboxesGroup).create({
    payload: {
      name: input.name,
      providers: yield* Effect.forEach(input.providers, providerName),
      connections: Object.fromEntries(chosen),
      unmatched: input.unmatched,
      rules,
      ...(input.policies.length === 0 ? {} : { policies: input.policies }),
      strict: input.strict,
      expiresIn: Math.ceil(input.expires / 1000)
    }
  }).pipe(Effect.catchTag("InvalidRequestError", namingOptions))
  const { expiresAt, name, providers } = access.sandbox
  const until = output.time(expiresAt)
  yield* report(access, `Created the sandbox ${name} for ${providers.join(", ")}. It expires ${until}.`)
}, provideDaemon())

export const rotate = Effect.fnUntraced(function*(input: { readonly name: SandboxName }) {
  const client = yield* DaemonClient
  const access = yield* client.of(SandboxesGroup).rotate({ params: input })
  yield* report(access, `Replaced the token of the sandbox ${input.name}. The previous token no longer works.`)
}, provideDaemon())

export const remove = Effect.fnUntraced(function*(input: { readonly name: SandboxName; readonly yes: boolean }) {
  const client = yield* DaemonClient
  const output = yield* Output
  const { sandboxes } = yield* Paths
  if (!input.yes) {
    yield* confirmed(`Delete the sandbox ${input.name}? Its programs lose access immediately.`, "Nothing was deleted.")
  }
  const response = yield* client.of(SandboxesGroup).remove({ params: { name: input.name } })
  removeDirectory(sandboxes, input.name)
  if (output.json) return yield* output.document(response)
  yield* output.note(`Deleted the sandbox ${input.name}.`)
}, provideDaemon())
