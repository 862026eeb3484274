/** Checks the life cycle of an API-key connection. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Connections } from "../connections/Connections.ts"
import type { ProfileHandle } from "../domain/Profile.ts"
import { type ApiKeyProvider, credentialFields, mainField } from "../domain/Provider.ts"
import { FlowRunner } from "../flows/FlowRunner.ts"
import { reachesEveryHost, reachesNoHost } from "./Injection.ts"
import { attempt, inOrder, object } from "./ProviderReport.ts"
import { sampleOf } from "./SampleText.ts"

type Entered = Readonly<Record<string, string>>

/** Valid input for the fields, or the name of a field whose pattern is too complex. */
const enteredFor = (definition: ApiKeyProvider): Entered | { readonly unmatched: string } => {
  const values: Record<string, string> = {}
  for (const { name, pattern } of credentialFields(definition)) {
    const sample = pattern === undefined ? `${name.replaceAll("_", "-")}-4f9a1c7e2b8d` : sampleOf(pattern)
    if (sample === undefined) return { unmatched: name }
    values[name] = sample
  }
  return values
}

const redacted = (values: Entered) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))

export const checkApiKey = Effect.fnUntraced(
  function*(profile: ProfileHandle, definition: ApiKeyProvider, baseUrl: string | null) {
    const runner = yield* FlowRunner
    const connections = yield* Connections
    const entered = enteredFor(definition)
    if ("unmatched" in entered) {
      return [{ name: "login", problem: `no value could be made up for the pattern of ${String(entered.unmatched)}` }]
    }
    const { name } = definition
    const start = runner.start(profile, { provider: name, ...(baseUrl === null ? {} : { baseUrl }) })

    const login = Effect.gen(function*() {
      const { sessionId } = yield* start
      const placeholder = Object.fromEntries(Object.keys(entered).map((field) => [field, definition.placeholder]))
      const taken = yield* Effect.option(runner.resume(sessionId, redacted(placeholder)))
      if (taken._tag === "Some") return yield* object("a placeholder was accepted as a key")
      const session = yield* runner.resume(sessionId, redacted(entered))
      if (session.status !== "completed") return yield* object(session.error?.message ?? session.message)
    })
    const revoke = Effect.gen(function*() {
      yield* connections.revoke(profile, name)
      yield* reachesNoHost(profile, definition, baseUrl)
    })
    const injection = reachesEveryHost(profile, definition, baseUrl, () => ({
      values: entered,
      main: mainField(definition)
    }))
    return yield* inOrder(attempt("login", login), attempt("injection", injection), attempt("revocation", revoke))
  }
)
