/** Checks the life cycle of an API-key connection, and of one that assumes a role. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Connections } from "../connections/Connections.ts"
import type { ApiKeyProvider } from "../domain/definition/Provider.ts"
import { mainField } from "../domain/definition/ProviderFields.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import { FlowRunner } from "../flows/FlowRunner.ts"
import { FakeProvider } from "./FakeProvider.ts"
import { FakeTokenService } from "./FakeTokenService.ts"
import { reachesEveryHost, reachesNoHost } from "./Injection.ts"
import { attempt, inOrder, object } from "./ProviderReport.ts"
import { type Entered, enteredFor } from "./SampleFields.ts"

const redacted = (values: Entered) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Redacted.make(value)]))

export const checkApiKey = Effect.fnUntraced(
  function*(profile: ProfileHandle, definition: ApiKeyProvider, baseUrl: string | null) {
    const runner = yield* FlowRunner
    const connections = yield* Connections
    const entered = enteredFor(definition)
    if (typeof entered === "string") return [{ name: "login", problem: entered }]
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

export const checkAssumeRole = Effect.fnUntraced(
  function*(profile: ProfileHandle, definition: ApiKeyProvider, baseUrl: string | null) {
    const runner = yield* FlowRunner
    const connections = yield* Connections
    const service = FakeTokenService.of(definition)
    if (typeof service === "string") return [{ name: "login", problem: service }]
    const fakeProvider = yield* FakeProvider
    fakeProvider.server = service
    const { name } = definition

    const login = Effect.gen(function*() {
      const started = yield* runner.start(profile, { provider: name, flow: "assume_role" })
      const session = yield* runner.resume(started.sessionId, redacted(service.entered))
      if (session.status !== "completed") return yield* object(session.error?.message ?? session.message)
    })
    const injection = reachesEveryHost(profile, definition, baseUrl, () => ({
      values: service.current,
      main: mainField(definition)
    }))
    const renewal = Effect.gen(function*() {
      const request = { provider: name, host: "sts.us-west-2.amazonaws.com" }
      const { issuedAt } = yield* connections.resolve(profile, request, { run: Option.none() })
      yield* connections.resolve(profile, { ...request, rejected: issuedAt }, { run: Option.none() })
      if (service.issued !== 2) return yield* object("no other keys were requested")
      yield* injection
    })
    const revoke = Effect.gen(function*() {
      yield* connections.revoke(profile, name)
      yield* reachesNoHost(profile, definition, baseUrl)
    })
    return yield* inOrder(
      attempt("login", login),
      attempt("injection", injection),
      attempt("renewal", renewal),
      attempt("revocation", revoke)
    )
  }
)
