/** A login method that only the embedding program knows, as every client of its daemon sees it. */
import { assert, describe } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import { ConnectionsGroup, DaemonClient, Paths, PeerOwner, ProvidersGroup, Settings } from "../../src/api.ts"
import { AuthenticationFailedError, EndpointUnreachableError, type Flow } from "../../src/index.ts"
import { acme, keyDefinition, oauthDefinition } from "../support/Acme.ts"
import { live } from "../support/Fixture.ts"
import { cleanEnvironment, collect, entry } from "../support/Sandbox.ts"
import { temporaryDirectory } from "../support/TemporaryDirectory.ts"
import { startTestDaemon, type TestDaemonShape } from "../support/TestDaemon.ts"

const kind = "acme.ticket"
const definition = keyDefinition({ flow: kind, flows: [kind, "api_key"] })

type Renew = NonNullable<Flow["renew"]>

/** The first key has expired when it is issued, and `renew` issues the next ones. */
const ticketFlow = (renew?: Renew, field = "api_key"): Flow => ({
  kind,
  begin: () =>
    Effect.succeed({
      _tag: "AskInput",
      message: "Enter the number of your ticket.",
      fields: [
        { name: "ticket", label: "Ticket", secret: true, required: true, default: null, pattern: null, hint: null }
      ],
      state: null
    }),
  receive: (_request, _state, event) =>
    Effect.map(DateTime.now, (now) => ({
      _tag: "Granted",
      grant: {
        values: { [field]: Redacted.make("first-0123456789abcdef") },
        grantValues: event._tag === "Input" ? event.data : {},
        obtainedAt: now,
        expiresAt: now
      }
    })),
  ...(renew === undefined ? {} : { renew })
})

const renewed = (field = "api_key"): Renew => ({ grantValues }) =>
  Effect.map(DateTime.now, (now) => ({
    values: { [field]: Redacted.make(`next-for-${Redacted.value(grantValues["ticket"]!)}`) },
    obtainedAt: now,
    expiresAt: DateTime.add(now, { hours: 1 })
  }))

const run = ({ home, url }: TestDaemonShape, args: ReadonlyArray<string>, input = "") =>
  Effect.promise(() =>
    collect(
      spawn(process.execPath, [entry, ...args], { env: { ...cleanEnvironment(home), CREDSVC_DAEMON_URL: url } }),
      input
    )
  )

const logIn = (daemon: TestDaemonShape) =>
  Effect.gen(function*() {
    const { json: { session_id } } = yield* daemon.post("/auth/sessions", { provider: acme })
    const { json } = yield* daemon.post(`/auth/sessions/${session_id}/resume`, { data: { ticket: "T-1" } })
    assert.strictEqual(json.status, "completed", JSON.stringify(json))
  })

const resolve = (daemon: TestDaemonShape) => daemon.post("/credentials/resolve", { host: "api.acme.example" })

const connectionOf = (daemon: TestDaemonShape) =>
  Effect.map(daemon.request("/connections/acme/default"), ({ json }) => json)

describe("a login method of an embedding program", () => {
  live("is offered, used and listed by the command line", function*() {
    const daemon = yield* startTestDaemon({ providers: [definition], flows: [ticketFlow(renewed())] })
    const invalid = yield* run(daemon, ["login", "acme", "--flow", "ticket"])
    assert.include(invalid.stderr, "invalid value \"ticket\" for --flow: expected pkce, ")
    const login = yield* run(daemon, ["login", "acme", "--flow", kind, "--stdin"], "T-1\n")
    assert.strictEqual(login.code, 0, login.stderr)
    const listed = yield* run(daemon, ["list", "acme"])
    assert.match(listed.stdout, /default \* +connected .*acme\.ticket/)
    const got = yield* run(daemon, ["api", "connections", "get", "--provider", acme, "--connection", "default"])
    assert.deepInclude(JSON.parse(got.stdout), { flow: kind, renewable: true, has_refresh_token: false })
  }, 60_000)

  live("is offered on the dashboard, with its own form", function*() {
    const daemon = yield* startTestDaemon({ providers: [definition], flows: [ticketFlow(renewed())] })
    const { body: connect } = yield* daemon.request("/ui/apps/acme")
    assert.match(connect, RegExp(`value="${kind}" (?:required )?checked`))
    const { json } = yield* daemon.post("/auth/sessions", { provider: acme })
    assert.deepInclude(json, { flow: kind, message: "Enter the number of your ticket." })
    const { body: form } = yield* daemon.request(new URL(json.next_action.url).pathname)
    assert.include(form, "name=\"ticket\"")
    yield* daemon.post(`/auth/sessions/${json.session_id}/resume`, { data: { ticket: "T-1" } })
    const { body: page } = yield* daemon.request("/ui/apps/acme")
    assert.include(page, kind)
    assert.include(page, "refreshed automatically")
  })

  live("is accepted by the typed client in providers and connections", function*() {
    const daemon = yield* startTestDaemon({ providers: [definition], flows: [ticketFlow(renewed())] })
    yield* logIn(daemon)
    yield* Effect.gen(function*() {
      const client = yield* DaemonClient
      const provider = yield* client.of(ProvidersGroup).get({ params: { provider: acme } })
      assert.deepStrictEqual(provider.flows, [kind, "api_key"])
      const { connections } = yield* client.of(ConnectionsGroup).list({ query: {} })
      assert.strictEqual(connections[0]?.flow, kind)
    }).pipe(
      Effect.provide(DaemonClient.layerNoDeps()),
      Effect.provide(
        Layer.merge(Paths.layerNoDeps, PeerOwner.layer).pipe(Layer.provideMerge(
          Settings.layerOf({ home: daemon.home, daemonUrl: Option.some(new URL(daemon.url)) })
        ))
      )
    )
  })

  for (const [name, field, own] of [["key", "api_key", definition], ["token", "access_token", undefined]] as const) {
    live(`renews a ${name} that has expired`, function*() {
      const providers = [own ?? oauthDefinition({ flow: kind })]
      const daemon = yield* startTestDaemon({ providers, flows: [ticketFlow(renewed(field), field)] })
      yield* logIn(daemon)
      assert.strictEqual((yield* resolve(daemon)).json.headers.Authorization, "Bearer next-for-T-1")
      const { json: { entries } } = yield* daemon.request("/audit?event=refresh")
      assert.deepInclude(entries[0], { event: "refresh", provider: acme, status: "ok" })
    })
  }

  live("keeps a connection whose renewal reached no server", function*() {
    const detail = "The desk is closed."
    const renew: Renew = () =>
      Effect.fail(new EndpointUnreachableError({ endpoint: "https://desk.acme.example", detail }))
    const daemon = yield* startTestDaemon({ providers: [definition], flows: [ticketFlow(renew)] })
    yield* logIn(daemon)
    assert.deepInclude((yield* resolve(daemon)).json, { error: "RefreshFailedError", detail })
    assert.deepInclude(yield* connectionOf(daemon), { status: "connected", last_refresh_error: detail })
  })

  live("ends a connection whose renewal was refused", function*() {
    const renew: Renew = () =>
      Effect.fail(new AuthenticationFailedError({ provider: acme, detail: "The ticket is closed." }))
    const daemon = yield* startTestDaemon({ providers: [definition], flows: [ticketFlow(renew)] })
    yield* logIn(daemon)
    assert.isAtLeast((yield* resolve(daemon)).status, 400)
    assert.deepInclude(yield* connectionOf(daemon), {
      status: "invalid",
      last_refresh_error: "The ticket is closed. Log in again with: credsvc login acme --force"
    })
  })

  live("is refused with a reason by a daemon that lacks it", function*() {
    const home = yield* temporaryDirectory
    yield* Effect.scoped(
      Effect.flatMap(startTestDaemon({ home, providers: [definition], flows: [ticketFlow(renewed())] }), logIn)
    )
    const daemon = yield* startTestDaemon({ home, providers: [definition] })
    assert.deepInclude((yield* daemon.post("/auth/sessions", { provider: acme, force: true })).json, {
      error: "OperationNotAllowedError",
      detail:
        "The login method \"acme.ticket\" of acme is available only in the program that embeds credsvc. Log in through that program."
    })
    assert.include((yield* resolve(daemon)).json.detail, "cannot renew connections of the login method acme.ticket")
  })
})
