/** Checks the life cycle of an API key connection. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Connections } from "../connections/Connections.ts"
import type { ApiKeyProvider } from "../domain/definition/Provider.ts"
import { mainField } from "../domain/definition/ProviderFields.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import { FlowRunner } from "../flows/FlowRunner.ts"
import { checkEveryHost, checkNoHost } from "./InjectionChecks.ts"
import { failCheck, runCheck, runInOrder } from "./ProviderReport.ts"
import { sampleFields, type Values } from "./SampleGrant.ts"

const redacted = (values: Values) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))

export const checkApiKey = Effect.fnUntraced(
  function*(profile: ProfileHandle, definition: ApiKeyProvider, baseUrl: string | null) {
    const runner = yield* FlowRunner
    const connections = yield* Connections
    const entered = sampleFields(definition)
    const { name } = definition
    const start = runner.start(profile, { provider: name, ...(baseUrl === null ? {} : { baseUrl }) })

    const login = Effect.gen(function*() {
      const { sessionId } = yield* start
      const placeholder = Object.fromEntries(Object.keys(entered).map((field) => [field, definition.placeholder]))
      const taken = yield* Effect.option(runner.resume(sessionId, redacted(placeholder)))
      if (taken._tag === "Some") return yield* failCheck("a placeholder was accepted as a key")
      const session = yield* runner.resume(sessionId, redacted(entered))
      if (session.status !== "completed") return yield* failCheck(session.error?.message ?? session.message)
    })
    const revoke = Effect.gen(function*() {
      yield* connections.revoke(profile, name)
      yield* checkNoHost(profile, definition, baseUrl)
    })
    const injection = checkEveryHost(profile, definition, baseUrl, () => ({
      values: entered,
      main: mainField(definition)
    }))
    return yield* runInOrder([
      runCheck("login", login),
      runCheck("injection", injection),
      runCheck("revocation", revoke)
    ])
  }
)
