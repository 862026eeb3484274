/** Checks the life cycle of an OAuth connection. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Connections } from "../connections/Connections.ts"
import { type FlowKind, isStoredGrant, type OAuthProvider } from "../domain/definition/Provider.ts"
import { hostsOf } from "../domain/definition/ProviderHosts.ts"
import { storedGrantOf } from "../domain/definition/StoredGrants.ts"
import { type AuthSession, isFinal } from "../domain/wire/AuthSession.ts"
import { defaultConnectionName } from "../domain/wire/Names.ts"
import type { ProfileHandle } from "../domain/wire/Profile.ts"
import { FlowRunner } from "../flows/FlowRunner.ts"
import { FakeAuthorizationServer } from "./FakeAuthorizationServer.ts"
import { FakeProvider } from "./FakeProvider.ts"
import { checkEveryHost, checkNoHost } from "./InjectionChecks.ts"
import { failCheck, runCheck, runInOrder } from "./ProviderReport.ts"
import { sampleFields, sampleGrant, type Values } from "./SampleGrant.ts"

/** Takes the steps of a login as a user with a browser does. */
const completeLogin = Effect.fnUntraced(function*(
  started: AuthSession,
  server: FakeAuthorizationServer,
  fields: Values
) {
  const runner = yield* FlowRunner
  let session = started
  while (!isFinal(session.status)) {
    const { nextAction, sessionId } = session
    switch (nextAction.type) {
      case "enter_input": {
        const known: Readonly<Record<string, string | undefined>> = {
          ...fields,
          client_id: server.entered.id,
          client_secret: server.entered.secret,
          ...server.sample?.entered
        }
        const values = nextAction.fields.flatMap(({ name, options }) => {
          const entered = name === "refresh_token" ? server.existingRefreshToken() : known[name]
          const value = options?.[0]?.value ?? entered
          return value === undefined ? [] : [[name, Redacted.make(value)] as const]
        })
        session = yield* runner.resume(sessionId, Object.fromEntries(values))
        break
      }
      case "open_url": {
        const back = server.consent(nextAction.url)
        if (typeof back === "string") return yield* failCheck(back)
        session = (yield* runner.callback(back.search.slice(1))).session
        break
      }
      default:
        session = yield* runner.get(sessionId, { waitSeconds: 30 })
    }
  }
  if (session.status !== "completed") return yield* failCheck(session.error?.message ?? session.message)
})

interface Subject {
  readonly profile: ProfileHandle
  readonly definition: OAuthProvider
  readonly baseUrl: string | null
  readonly server: FakeAuthorizationServer
}

/** Checks that the daemon gets another access token when the provider rejects the current one. */
const checkRefresh = Effect.fnUntraced(function*({ baseUrl, definition, profile, server }: Subject) {
  const connections = yield* Connections
  const [place] = hostsOf(definition, baseUrl)
  const request = {
    provider: definition.name,
    connection: defaultConnectionName,
    host: place!.host.replace("*", "check"),
    path: place!.pathPrefix ?? "/"
  }
  const before = yield* connections.resolve(profile, request, { run: Option.none() })
  server.endAccessTokens()
  const rejected = before.issuedAt === null ? {} : { rejected: before.issuedAt }
  yield* connections.resolve(profile, { ...request, ...rejected }, { run: Option.none() })
  if (server.accessToken === undefined) return yield* failCheck("the access token was not refreshed")
})

const checkRevocation = Effect.fnUntraced(function*({ baseUrl, definition, profile, server }: Subject) {
  const { failures } = yield* (yield* Connections).revoke(profile, definition.name)
  if (failures.length > 0) return yield* failCheck(failures[0]!)
  yield* checkNoHost(profile, definition, baseUrl)
  if (server.endpoints.revocation !== undefined && server.hasTokens) {
    return yield* failCheck("the authorization server still accepts a token after its revocation")
  }
})

export const checkOAuth = Effect.fnUntraced(
  function*(profile: ProfileHandle, definition: OAuthProvider, flow: FlowKind, baseUrl: string | null) {
    const runner = yield* FlowRunner
    const grant = isStoredGrant(flow) ? storedGrantOf(definition.oauth, flow) : undefined
    const sample = grant === undefined ? undefined : sampleGrant(grant)
    const server = new FakeAuthorizationServer(definition, baseUrl, sample)
    const fakeProvider = yield* FakeProvider
    fakeProvider.server = server
    const entered = sampleFields(definition)
    const login = Effect.flatMap(
      runner.start(profile, { provider: definition.name, flow, ...(baseUrl === null ? {} : { baseUrl }) }),
      (session) => completeLogin(session, server, entered)
    )
    const injection = checkEveryHost(profile, definition, baseUrl, () => ({
      values: {
        ...entered,
        ...sample?.values,
        ...server.account,
        access_token: server.accessToken ?? "",
        client_id: server.clientInUse
      },
      main: "access_token"
    }))
    const subject: Subject = { profile, definition, baseUrl, server }
    return yield* runInOrder([
      runCheck("login", login),
      runCheck("injection", injection),
      runCheck("refresh", Effect.andThen(checkRefresh(subject), injection)),
      runCheck("revocation", checkRevocation(subject))
    ])
  }
)
