/** Connections that one profile grants to another one, whose caller is on another machine. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { testsWith } from "../../support/Fixture.ts"
import { enrolled, post, type RemoteIdentity, startExposedDaemon, startRun } from "../../support/RemoteCaller.ts"
import { logIn, type RequestOptions, type TestDaemonShape } from "../../support/TestDaemon.ts"

const exposed = testsWith(startExposedDaemon)

const key = "sk-proj-sharedmark0123456789abcdefghij"

const grant = (daemon: TestDaemonShape, owner: string, grantee: string, connection = "shared") =>
  daemon.request("/grants", post({ provider: "openai", connection, grantee }, { "credsvc-profile": owner }))

const withdraw = (daemon: TestDaemonShape, owner: string, grantee: string) =>
  daemon.request(`/grants/${grantee}/openai/shared`, { method: "DELETE", headers: { "credsvc-profile": owner } })

const resolve = (caller: RemoteIdentity, more: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  caller.request("/credentials/resolve", post({ host: "api.openai.com", connection: "shared", ...more }, headers))

const setUp = (daemon: TestDaemonShape) =>
  Effect.gen(function*() {
    const [alice, bob] = [yield* enrolled(daemon, "alice"), yield* enrolled(daemon, "bob")]
    yield* logIn(alice, key, { connection: "shared" })
    yield* logIn(alice, "sk-proj-privatemark0123456789abcdefghij", { connection: "private" })
    const { json, status } = yield* grant(daemon, "alice", "bob")
    assert.strictEqual(status, 201, JSON.stringify(json))
    return { alice, bob }
  })

describe("A granted connection", () => {
  exposed.live("can be used by the other profile, which sees its owner but not its secret", function*(daemon) {
    const { bob } = yield* setUp(daemon)
    const { connections } = (yield* bob.request("/connections")).json
    assert.deepStrictEqual(
      connections.map((each: any) => [each.connection_name, each.profile, each.granted_by, each.is_default]),
      [["shared", "alice", "alice", true]]
    )
    assert.strictEqual((yield* bob.request("/connections/openai/shared")).json.api_key, "***REDACTED***")
    assert.strictEqual((yield* resolve(bob)).json.headers.Authorization, `Bearer ${key}`)
    const { routes } = (yield* bob.request("/proxy/routes")).json
    assert.include(routes.find(({ host }: any) => host === "api.openai.com"), { connection: "shared" })
    assert.strictEqual((yield* resolve(bob, { connection: undefined })).status, 200, "it is the default")
    assert.strictEqual((yield* resolve(bob, { connection: "private" })).status, 404)
  })

  exposed.live("cannot be revealed, exported, changed or removed by the other profile", function*(daemon) {
    const { alice, bob } = yield* setUp(daemon)
    const attempts: ReadonlyArray<readonly [string, RequestOptions, number]> = [
      ["/connections/openai/shared?reveal=true", {}, 403],
      ["/credentials/export", post({ provider: "openai", connection: "shared" }), 403],
      ["/connections/openai/shared/logout", post(), 404],
      ["/connections/openai/shared/default", post(), 404],
      ["/connections/openai/shared/contained-only", post(), 404],
      ["/connections/openai/revoke", post(), 200],
      [
        "/credentials/scan",
        post({ values: [{ variable: "OPENAI_API_KEY", source: "env", value: key }], connection: "shared" }),
        200
      ],
      ["/grants/carol/openai/shared", { method: "DELETE" }, 403],
      ["/grants", post({ provider: "openai", connection: "shared", grantee: "carol" }), 403]
    ]
    for (const [target, options, status] of attempts) {
      const answer = yield* bob.request(target, options)
      assert.strictEqual(answer.status, status, `${target}: ${answer.body}`)
      assert.notInclude(answer.body, key)
      assert.notInclude(answer.body, "\"match\"", target)
    }
    const own = yield* alice.request("/connections/openai/shared?reveal=true")
    assert.strictEqual(own.json.api_key, key)
    assert.isFalse(own.json.contained_only)
    assert.isUndefined(own.json.granted_by)
  })

  exposed.live("is refused after the withdrawal, even in an open run, which is notified", function*(daemon) {
    const { bob } = yield* setUp(daemon)
    const run = { "credsvc-run": "bobs-run-0123456789" }
    const registered = yield* startRun(bob, run["credsvc-run"])
    assert.strictEqual((yield* resolve(bob, {}, run)).status, 200)
    assert.strictEqual((yield* withdraw(daemon, "alice", "bob")).json.status, "withdrawn")
    assert.strictEqual((yield* resolve(bob, {}, run)).status, 404)
    assert.strictEqual((yield* resolve(bob, { confirm: true }, run)).status, 404)
    assert.deepStrictEqual((yield* bob.request("/connections")).json.connections, [])
    assert.strictEqual((yield* withdraw(daemon, "alice", "bob")).status, 403)
    yield* Fiber.interrupt(registered)
  })

  exposed.live("is in the lists and the audit logs of both profiles, and in no other", function*(daemon) {
    const { alice, bob } = yield* setUp(daemon)
    const carol = yield* enrolled(daemon, "carol")
    yield* resolve(bob)
    const lists = yield* Effect.forEach(
      [alice, bob],
      (caller) => Effect.map(caller.request("/grants"), ({ json }) => json)
    )
    assert.deepStrictEqual(lists[0], lists[1])
    assert.include(lists[0].grants[0], { provider: "openai", connection: "shared", owner: "alice", grantee: "bob" })
    assert.deepStrictEqual((yield* carol.request("/grants")).json, { grants: [] })
    yield* withdraw(daemon, "alice", "bob")
    const eventsOf = (caller: RemoteIdentity) =>
      Effect.map(
        caller.request("/audit"),
        ({ json }) =>
          json.entries.filter(({ connection }: any) => connection === "shared").map(({ event }: any) => event)
      )
    assert.deepStrictEqual(yield* eventsOf(alice), ["login", "grant", "grant-withdraw"])
    assert.deepStrictEqual(yield* eventsOf(bob), ["grant-receive", "resolve", "grant-lose"])
    assert.deepStrictEqual(yield* eventsOf(carol), [])
  })

  exposed.live("is on the dashboard of the other profile, without a way to change it", function*(daemon) {
    yield* setUp(daemon)
    const local = (yield* daemon.request("/whoami")).json.profile
    assert.strictEqual((yield* grant(daemon, "alice", local)).status, 201)
    const page = (target: string) => daemon.request(target, { headers: { accept: "text/html" } })
    for (const target of ["/ui/", "/ui/connections", "/ui/apps/openai"]) {
      const { body } = yield* page(target)
      assert.include(body, "granted by alice", target)
      assert.notInclude(body, "shared/disconnect", target)
    }
    yield* logIn(daemon, key, { connection: "own" })
    const shown = (yield* page("/ui/apps/openai")).body
    assert.include(shown, "own/disconnect")
    assert.notInclude(shown, "shared/disconnect")
    const revoke = (yield* page("/ui/apps/openai/revoke")).body
    assert.include(revoke, "<code>own</code>")
    assert.notInclude(revoke, "<code>shared</code>")
    assert.strictEqual((yield* page("/ui/apps/openai/shared/disconnect")).status, 404)
    yield* withdraw(daemon, "alice", local)
    assert.notInclude((yield* page("/ui/connections")).body, "granted by alice")
  })

  exposed.live("ends with the connection, and another login under its name is not granted", function*(daemon) {
    const { alice, bob } = yield* setUp(daemon)
    yield* alice.request("/connections/openai/shared/logout", post())
    assert.strictEqual((yield* resolve(bob)).status, 404)
    yield* logIn(alice, key, { connection: "shared" })
    assert.strictEqual((yield* resolve(bob)).status, 404)
    assert.deepStrictEqual((yield* alice.request("/grants")).json.grants, [])
  })

  exposed.live("is not used if the other profile has its own connection of the same name", function*(daemon) {
    const { bob } = yield* setUp(daemon)
    const own = "sk-proj-ownmark0123456789abcdefghijkl"
    const again = yield* bob.request("/auth/sessions", post({ provider: "openai", connection: "shared" }))
    assert.strictEqual(again.status, 409)
    yield* logIn(bob, own, { connection: "shared", force: true })
    assert.strictEqual((yield* resolve(bob)).json.headers.Authorization, `Bearer ${own}`)
    assert.lengthOf((yield* bob.request("/connections")).json.connections, 1)
    const refused = yield* grant(daemon, "alice", "bob")
    assert.include(refused.json.detail, "has its own connection \"shared\" for openai")
    assert.include((yield* grant(daemon, "alice", "nobody")).json.detail, "Unknown profile \"nobody\"")
    assert.include((yield* grant(daemon, "alice", "alice")).json.detail, "already belongs to the profile alice")
  })
})
