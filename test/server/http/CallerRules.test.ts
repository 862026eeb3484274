/** Two profiles whose callers are on other machines: neither sees anything of the other, with any operation. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { operations } from "../../../src/api/Api.ts"
import { runNameOf } from "../../../src/config/RunMark.ts"
import { type Rule, ruleOf, servedPaths } from "../../../src/server/http/CallerRules.ts"
import { testsWith } from "../../support/Fixture.ts"
import {
  enrolled,
  post,
  publicHost,
  registration,
  type RemoteIdentity,
  startExposedDaemon,
  startRun
} from "../../support/RemoteCaller.ts"
import { logIn, type RequestOptions, type TestDaemonShape } from "../../support/TestDaemon.ts"

const exposed = testsWith(startExposedDaemon)

/** Names everything that belongs to one tenant. Another one must never read it. */
const mark = "alicemark"
/** Names things that do not exist. */
const nothing = "nobodymark"

const runId = `${mark}-run-0123456789`
const unregistered = `${nothing}-run-01234567`

const idOf = (name: string) => name === mark ? runId : unregistered
const nameOf = (name: string) => runNameOf(idOf(name))

interface Owned {
  readonly session: string
}

/** Everything that a caller can own. The run is registered until the scope closes. */
const settle = (caller: RemoteIdentity, daemon: TestDaemonShape) =>
  Effect.gen(function*() {
    yield* logIn(caller, `sk-proj-${mark}0123456789abcdefghij`, { connection: mark })
    const { json: session } = yield* caller.request(
      "/auth/sessions",
      post({ provider: "openai", connection: `${mark}2` })
    )
    const sandbox = { name: mark, providers: ["openai"], expires_in: 3600 }
    assert.strictEqual((yield* caller.request("/sandboxes", post(sandbox))).status, 201)
    const policy = yield* daemon.request(
      `/policies/${mark}`,
      post({ allow: [], deny: ["GET api.openai.com/**"], readonly: false }, { "credsvc-profile": caller.profile })
    )
    assert.strictEqual(policy.status, 200, policy.body)
    const run = yield* startRun(caller, runId)
    const used = yield* caller.request(
      "/credentials/resolve",
      post({ host: "api.openai.com", connection: mark }, { "credsvc-run": runId })
    )
    assert.strictEqual(used.status, 200, used.body)
    const reported = yield* caller.request("/runs/requests", post(reportOf(mark), { "credsvc-run": runId }))
    assert.strictEqual(reported.status, 200, reported.body)
    return { owned: { session: session.session_id as string } satisfies Owned, run }
  })

/** A program's refresh of a login. */
const refreshOf = (name: string) => ({
  provider: "codex",
  method: "POST",
  host: "auth.openai.com",
  port: 443,
  target: "/oauth/token",
  request: {
    content_type: "application/json",
    content: JSON.stringify({
      grant_type: "refresh_token",
      refresh_token: `credsvc-proxy-managed---${Buffer.from(`refresh_token codex ${name}`).toString("base64url")}`
    })
  }
})

const reportOf = (name: string) => ({
  part: 2,
  last: false,
  missing: 0,
  entries: [[Date.now(), "GET", "api.openai.com", `/${name}`, 200, 0, 0, "openai", name, null, null]]
})

type Probe = (name: string, owned: Owned) => readonly [target: string, options?: RequestOptions]

/** For each operation that callers may use: how it is tried on the things of another tenant, or on things that do not exist. */
const probes: Readonly<Record<string, ReadonlyArray<Probe>>> = {
  "system.whoami": [() => ["/whoami"]],
  "auth.start": [(name) => ["/auth/sessions", post({ provider: "openai", connection: name })]],
  "auth.resume": [(_, { session }) => [`/auth/sessions/${session}/resume`, post({ data: { api_key: "sk-1" } })]],
  "auth.cancel": [(_, { session }) => [`/auth/sessions/${session}`, { method: "DELETE" }]],
  "connections.list": [() => ["/connections"], () => ["/connections?provider=openai"]],
  "connections.get": [
    (name) => [`/connections/openai/${name}`],
    (name) => [`/connections/openai/${name}?reveal=true`]
  ],
  "connections.check": [(name) => [`/connections/openai/${name}/check`, { method: "POST" }]],
  "connections.logout": [(name) => [`/connections/openai/${name}/logout`, { method: "POST" }]],
  "connections.revoke": [() => ["/connections/openai/revoke", { method: "POST" }]],
  "connections.setDefault": [(name) => [`/connections/openai/${name}/default`, { method: "POST" }]],
  "connections.setContainedOnly": [(name) => [`/connections/openai/${name}/contained-only`, { method: "POST" }]],
  "credentials.export": [(name) => ["/credentials/export", post({ provider: "openai", connection: name })]],
  "credentials.resolve": [
    (name) => ["/credentials/resolve", post({ host: "api.openai.com", connection: name })],
    (name) => [
      "/credentials/resolve",
      post({ host: "api.openai.com" }, { "credsvc-run": idOf(name) })
    ]
  ],
  "credentials.scan": [(name) => ["/credentials/scan", post({ entries: [], connection: name })]],
  "providers.list": [() => ["/providers"]],
  "providers.get": [() => ["/providers/openai"]],
  "proxy.routes": [() => ["/proxy/routes"]],
  "proxy.login": [
    (name) => ["/proxy/login", post(refreshOf(name))],
    (name) => ["/proxy/login", post(refreshOf(name), { "credsvc-run": idOf(name) })],
    (name) => [
      "/proxy/login",
      post({ ...refreshOf(name), connection: name, response: { content_type: "application/json", content: "{}" } })
    ]
  ],
  "runs.list": [() => ["/runs"]],
  "runs.register": [
    (name) => ["/runs", post({ ...registration, inside: nameOf(name) }, { "credsvc-run": "bobs-run-0123456789" })]
  ],
  "runs.stop": [(name) => [`/runs/${nameOf(name)}/stop`, { method: "POST" }]],
  "runs.report": [
    (name) => ["/runs/requests", post(reportOf(name), { "credsvc-run": idOf(name) })]
  ],
  "sandboxes.list": [() => ["/sandboxes"]],
  // Not tried on the other's name: names are unique in the whole store, so a taken name is refused.
  "sandboxes.create": [() => ["/sandboxes", post({ name: "own", providers: ["unknown"], expires_in: 3600 })]],
  "sandboxes.access": [(name) => [`/sandboxes/${name}/access`, { method: "POST" }]],
  "sandboxes.rotate": [(name) => [`/sandboxes/${name}/rotate`, { method: "POST" }]],
  "sandboxes.remove": [(name) => [`/sandboxes/${name}`, { method: "DELETE" }]],
  "sandboxes.served": [() => ["/proxy/sandboxes"]],
  "grants.list": [() => ["/grants"]],
  "policies.list": [() => ["/policies"]],
  "policies.get": [(name) => [`/policies/${name}`]],
  "audit.list": [() => ["/audit"]],
  "audit.requests": [
    () => ["/audit/requests"],
    (name) => [`/audit/requests?run=${nameOf(name)}`]
  ],
  "profiles.list": [() => ["/profiles"]]
}

/** What differs between two responses without telling anything: times, random values, and the name that was asked for. */
const comparable = ({ body, status }: { readonly body: string; readonly status: number }) =>
  `${status} ${body}`
    .replaceAll(mark, "NAME")
    .replaceAll(nothing, "NAME")
    .replaceAll(runNameOf(runId), "RUN")
    .replaceAll(runNameOf(unregistered), "RUN")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/[A-Za-z0-9_-]{43}/g, "SESSION")
    .replaceAll(/"seq":\d+/g, "SEQ")

const idsOf = (rule: Rule) => operations.filter(({ facts }) => facts.callers === rule).map(({ id }) => id)

describe("callers of two profiles", () => {
  it("have a test for each operation that they may use", () => {
    assert.deepStrictEqual(
      Object.keys(probes).toSorted(),
      [...idsOf("profile"), ...idsOf("job")].toSorted(),
      "an operation has no probe"
    )
    assert.deepStrictEqual(idsOf("job"), [
      "system.whoami",
      "connections.list",
      "connections.get",
      "credentials.resolve",
      "providers.list",
      "providers.get",
      "proxy.routes",
      "runs.register",
      "runs.report"
    ])
    assert.deepStrictEqual(idsOf("anyone"), [
      "system.health",
      "system.ready",
      "auth.get",
      "identities.enroll",
      "trusts.enroll"
    ])
  })

  exposed.live("cannot use the operations and pages of the administrator", function*(daemon) {
    const bob = yield* enrolled(daemon, "bob")
    const forbidden = servedPaths.filter(({ method, path }) => ruleOf(method, path) === "administrator")
    assert.isAbove(forbidden.length, 10)
    for (const { method, path } of forbidden) {
      const target = path.replaceAll(/:\w+/g, path.startsWith("/ui/runs/") ? "0123456789" : "openai")
      const type = path.startsWith("/ui/") ? "application/x-www-form-urlencoded" : "application/json"
      const body = method === "POST" ? { headers: { "content-type": type }, body: "{}" } : {}
      const { status } = yield* bob.request(target, { method, ...body })
      // The guard refuses a form for a name that cannot exist before it looks at the caller.
      assert.include(path.startsWith("/ui/") ? [403, 415] : [403], status, `${method} ${target}`)
      const unsigned = yield* daemon.request(target, {
        method,
        ...body,
        headers: { ...body.headers, host: publicHost }
      })
      assert.include(path.startsWith("/ui/") ? [401, 415] : [401], unsigned.status, `${method} ${target}`)
    }
  })

  exposed.live("cannot prevent each other from logging in", function*(daemon) {
    const [alice, bob] = [yield* enrolled(daemon, "alice"), yield* enrolled(daemon, "bob")]
    const start = (caller: RemoteIdentity, connection: string) =>
      caller.request("/auth/sessions", post({ provider: "openai", connection }))
    for (let number = 1; number <= 32; number++) assert.strictEqual((yield* start(alice, `c${number}`)).status, 201)
    const { json, status } = yield* start(alice, "c33")
    assert.deepStrictEqual([status, json.error], [429, "RequestRefusedError"])
    assert.strictEqual((yield* start(bob, "c1")).status, 201)
  })

  exposed.live("cannot make the store or the log unusable with a report of requests", function*(daemon) {
    const alice = yield* enrolled(daemon, "alice")
    const headers = { "credsvc-run": runId }
    const run = yield* startRun(alice, runId)
    const report = { ...reportOf(mark), part: Number.MAX_SAFE_INTEGER }
    // A response with a time after the year 9999 could not be read by other clients of the administrator.
    const late = { ...reportOf(mark), entries: [[8.64e15, ...reportOf(mark).entries[0]!.slice(1)]] }
    const unreadable = { ...reportOf(mark), entries: [[...reportOf(mark).entries[0]!, "somewhere", null]] }
    for (const invalid of [report, late, unreadable]) {
      assert.strictEqual((yield* alice.request("/runs/requests", post(invalid, headers))).status, 400)
    }
    yield* alice.request("/runs/requests", post({ ...report, part: Number.MAX_SAFE_INTEGER - 1 }, headers))
    // The run has not sent its last report, so the log gets a gap.
    yield* Fiber.interrupt(run)
    while ((yield* alice.request("/audit/requests")).json.entries?.length !== 2) yield* Effect.sleep(5)
    assert.strictEqual((yield* daemon.request("/audit/verify")).json.ok, true)
    yield* logIn(alice, "sk-proj-alice0123456789abcdefghij", { connection: "one" })
  })

  exposed.live("cannot freeze the sandboxes and runs of each other", function*(daemon) {
    const [alice, bob] = [yield* enrolled(daemon, "alice"), yield* enrolled(daemon, "bob")]
    yield* logIn(alice, "sk-proj-alice0123456789abcdefghij")
    yield* alice.request("/sandboxes", post({ name: "one", providers: ["openai"], expires_in: 3600, strict: true }))
    const { generation, id } = (yield* alice.request("/proxy/sandboxes")).json.sandboxes[0]
    const strict = { strict: true, sandbox: { generation, id } }
    const leak = (caller: RemoteIdentity, runId: string) => {
      const entries = [[Date.now(), "GET", "evil.example", "", 0, 0, 0, null, null, null, null, "unmatched query"]]
      return caller.request("/runs/requests", post({ ...reportOf("leaky"), entries }, { "credsvc-run": runId }))
    }
    const frozen = Effect.gen(function*() {
      const [sandbox] = (yield* alice.request("/sandboxes")).json.sandboxes
      const { runs } = (yield* alice.request("/runs")).json
      return [sandbox, ...runs].map(({ frozen_at }) => frozen_at !== null)
    })
    const bobs = "bobs-run-0123456789"
    yield* startRun(alice, runId, strict)
    yield* startRun(bob, bobs, strict)
    assert.strictEqual((yield* leak(bob, bobs)).status, 200)
    assert.isNotNull((yield* bob.request("/runs")).json.runs[0].frozen_at, "the own run is frozen")
    assert.deepStrictEqual(yield* frozen, [false, false])
    assert.strictEqual((yield* leak(alice, runId)).status, 200)
    assert.deepStrictEqual(yield* frozen, [true, true])
    const later = "bobs-later-run-0123456789"
    yield* startRun(bob, later, strict)
    const runs: ReadonlyArray<any> = (yield* bob.request("/runs")).json.runs
    assert.isNull(runs.find(({ name }) => name === runNameOf(later)).frozen_at)
  })

  exposed.live("add no uses to the runs of each other", function*(daemon) {
    const [alice, bob] = [yield* enrolled(daemon, "alice"), yield* enrolled(daemon, "bob")]
    yield* logIn(alice, "sk-proj-alice0123456789abcdefghij", { connection: "own" })
    yield* logIn(bob, "sk-proj-bob0123456789abcdefghij", { connection: "foreign" })
    yield* startRun(alice, runId)
    const resolve = (caller: RemoteIdentity, connection: string) =>
      caller.request("/credentials/resolve", post({ host: "api.openai.com", connection }, { "credsvc-run": runId }))
    assert.strictEqual((yield* resolve(bob, "foreign")).status, 200)
    assert.strictEqual((yield* resolve(alice, "own")).status, 200)
    const { uses } = (yield* alice.request("/runs")).json.runs[0]
    assert.deepStrictEqual(uses.map(({ connection }: any) => connection), ["own"])
  })

  exposed.live("cannot see each other with any operation", function*(daemon) {
    const [alice, bob] = [yield* enrolled(daemon, "tenant-alice"), yield* enrolled(daemon, "bob")]
    const { owned, run } = yield* settle(alice, daemon)
    yield* logIn(bob, "gsk_bob0123456789abcdefghij", { provider: "groq", connection: "own" })
    const absent = { session: "A".repeat(43) }
    const all = Object.entries(probes).flatMap(([id, tries]) =>
      tries.map((probe) => ({ id, missing: probe(nothing, absent), present: probe(mark, owned) }))
    )
    const isBlind = ({ missing, present }: (typeof all)[number]) => JSON.stringify(missing) === JSON.stringify(present)
    // First what names nothing, because later the caller's own log has the names that it has tried.
    for (const { id, present } of all.filter(isBlind)) {
      const { body } = yield* bob.request(...present)
      assert.notInclude(body, "alice", `${id} names another tenant`)
      assert.notInclude(body, runNameOf(runId), `${id} names the run of another tenant`)
    }
    for (const { id, missing, present } of all.filter((each) => !isBlind(each))) {
      const expected = comparable(yield* bob.request(...missing))
      const received = comparable(yield* bob.request(...present))
      assert.strictEqual(received, expected, `${id} differs for a thing of another tenant`)
      assert.notInclude(received, "alice", `${id} names another tenant`)
    }
    const { newest } = (yield* alice.request("/audit/requests")).json
    const searches = [
      "/audit?provider=openai",
      "/audit/requests?host=api.openai.com",
      "/audit/requests?provider=openai"
    ]
    for (
      const target of [...searches, `/audit/requests?after=${newest - 1}`, `/audit/requests?until_batch=${newest}`]
    ) {
      const { json, status } = yield* bob.request(target)
      assert.strictEqual(status, 200, target)
      assert.isTrue(json.entries.every(({ identity }: any) => identity === "bob"), target)
      assert.isAbove((yield* alice.request(target)).json.entries.length, 0, target)
    }
    for (const { id, present: [target, options] } of all) {
      const headers = { ...options?.headers, "credsvc-profile": alice.profile }
      const { body, status } = yield* bob.request(target, { ...options, headers })
      // These two show what the caller may see, whatever profile it names.
      assert.strictEqual(status, ["profiles.list", "runs.list"].includes(id) ? 200 : 403, `${id} in the other profile`)
      if (status === 200) assert.notInclude(body, "alice", id)
    }
    const taken = yield* bob.request("/runs", post(registration, { "credsvc-run": runId }))
    assert.strictEqual(taken.status, 403, "the run of another tenant is not replaced")
    assert.isUndefined(run.pollUnsafe(), "the run of the other tenant goes on")
    yield* stillOwned(alice, daemon)
    yield* Fiber.interrupt(run)
  })
})

/** Checks that the attempts have changed nothing, and that the administrator sees everything. */
const stillOwned = (alice: RemoteIdentity, daemon: TestDaemonShape) =>
  Effect.gen(function*() {
    const secret = yield* alice.request(`/connections/openai/${mark}?reveal=true`)
    assert.strictEqual(secret.json.api_key, `sk-proj-${mark}0123456789abcdefghij`)
    assert.strictEqual((yield* alice.request(`/policies/${mark}`)).status, 200)
    assert.strictEqual((yield* alice.request(`/sandboxes/${mark}/access`, { method: "POST" })).status, 200)
    assert.lengthOf((yield* alice.request("/runs")).json.runs, 1)
    const { entries } = (yield* alice.request("/audit")).json
    assert.isTrue(entries.every(({ identity }: any) => identity === alice.profile))
    assert.deepStrictEqual(
      (yield* alice.request("/audit/requests")).json.entries.map(({ path }: any) => path),
      [`/${mark}`]
    )
    const seen = yield* daemon.request("/audit")
    assert.includeMembers(seen.json.entries.map(({ identity }: any) => identity), [alice.profile, "bob"])
    assert.lengthOf((yield* daemon.request("/runs")).json.runs, 1)
  })
