import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as http from "node:http"
import * as net from "node:net"
import { vi } from "vitest"
import { Connections } from "../../../src/connections/Connections.ts"
import type { State } from "../../../src/connections/Revision.ts"
import type { ProviderName } from "../../../src/domain/definition/Provider.ts"
import type { ConnectionName } from "../../../src/domain/wire/Connection.ts"
import type { ProfileHandle } from "../../../src/domain/wire/Profile.ts"
import type { Resolved } from "../../../src/domain/wire/Resolve.ts"
import { RunRegistry } from "../../../src/runs/RunRegistry.ts"
import { ChildRefusal } from "../../../src/server/http/ChildRefusal.ts"
import { ResolveOperation } from "../../../src/server/resolve/ResolveOperation.ts"
import { live } from "../../support/Fixture.ts"
import { first, register, withDaemon } from "../../support/RegisteredRun.ts"
import { asked, key, loggedIn, queries, resolveIn } from "../../support/ResolveQueries.ts"
import type { TestDaemonShape } from "../../support/TestDaemon.ts"
import { unlimitedRun } from "../../support/UnlimitedRun.ts"

const me = "me" as ProfileHandle
const run = "run-of-the-test-1"
const query = JSON.stringify({ host: "api.acme.example" })

const state = (isVerified = true): State => ({ content: {}, isVerified })

/** The operation over connections that count how often they are asked. */
const counted = (expiresInMillis?: number) =>
  Effect.gen(function*() {
    const counter = { resolutions: 0, revision: state() }
    const resolved: Resolved = {
      provider: "acme" as ProviderName,
      connection: "default" as ConnectionName,
      headers: { Authorization: Redacted.make("Bearer t") },
      query: {},
      defaults: {},
      secrets: [],
      strip: { headers: [], query: [] },
      expiresAt: expiresInMillis === undefined ? null : DateTime.makeUnsafe(Date.now() + expiresInMillis),
      issuedAt: DateTime.makeUnsafe(0),
      refreshable: true
    }
    const connections = {
      revision: Effect.sync(() => counter.revision),
      knownRevision: () => counter.revision.isVerified ? counter.revision.content : undefined,
      resolve: () =>
        Effect.sync(() => {
          counter.resolutions++
          return resolved
        })
    } as unknown as Connections["Service"]
    const registered = new Map([run, "run-of-the-test-2"].map((id) => [id, unlimitedRun(me)]))
    const operation = yield* ResolveOperation.pipe(
      Effect.provide(ResolveOperation.layerNoDeps),
      Effect.provideService(Connections, connections),
      Effect.provideService(
        RunRegistry,
        {
          limitsOf: (_: unknown, id: string) => Effect.sync(() => registered.get(id)),
          knownLimits: (_: unknown, id: string) => registered.get(id),
          countUse: () => Effect.succeed(Effect.void),
          used: () => {}
        } as unknown as RunRegistry["Service"]
      ),
      Effect.provideService(ChildRefusal, { refuseResolve: () => Effect.void } as unknown as ChildRefusal["Service"])
    )
    const respond = (profile: ProfileHandle, run: string | undefined, text: string) =>
      operation.respond({ peer: new net.Socket(), profile, run }, text)
    const kept = (text: string) => operation.keptResponse({ peer: new net.Socket(), profile: me, run }, text)
    return { counter, kept, registered, respond }
  })

const resolve = (daemon: TestDaemonShape, body: string, agent: http.Agent, headers: Record<string, string> = {}) =>
  daemon.request("/credentials/resolve", {
    method: "POST",
    body,
    agent,
    headers: { "content-type": "application/json", ...headers }
  })

const keptConnection = (daemon: TestDaemonShape) =>
  Effect.acquireRelease(
    Effect.sync(() => new http.Agent({ keepAlive: true, maxSockets: 1 })),
    (agent) => Effect.sync(() => agent.destroy())
  ).pipe(Effect.tap((agent) => daemon.request("/health", { agent })))

describe("ResolveOperation", () => {
  live("reuses the response for a run while nothing changes", function*() {
    for (const life of [undefined, 3_600_000]) {
      const { counter, respond } = yield* counted(life)
      assert.strictEqual(yield* respond(me, run, query), yield* respond(me, run, query))
      assert.strictEqual(counter.resolutions, 1)
    }
  })

  live("resolves each time during the last minute of a credential", function*() {
    for (const life of [59_000, 0, -3_600_000]) {
      const { counter, respond } = yield* counted(life)
      for (let round = 0; round < 2; round++) yield* respond(me, run, query)
      assert.strictEqual(counter.resolutions, 2)
    }
  })

  live("resolves again for another run, profile or query, and each time without a registered run", function*() {
    const { counter, registered, respond } = yield* counted()
    const other = JSON.stringify({ host: "api.acme.example", port: 8443 })
    yield* respond(me, run, query)
    yield* respond(me, "run-of-the-test-2", query)
    yield* respond("you" as ProfileHandle, run, query)
    yield* respond(me, run, other)
    assert.strictEqual(counter.resolutions, 4)
    registered.delete(run)
    for (const unknown of [undefined, run]) {
      for (let round = 0; round < 3; round++) yield* respond(me, unknown, query)
    }
    assert.strictEqual(counter.resolutions, 10)
  })

  live("resolves again for a run that is registered again, with other limits", function*() {
    const { counter, registered, respond } = yield* counted()
    const limits = unlimitedRun(me)
    registered.set(run, limits)
    for (let round = 0; round < 2; round++) yield* respond(me, run, query)
    registered.set(run, { ...limits, contained: false })
    for (let round = 0; round < 2; round++) yield* respond(me, run, query)
    assert.strictEqual(counter.resolutions, 2)
  })

  live(
    "returns the cached response for a run without a database query, until its limits or the store change",
    function*() {
      const { counter, kept, registered, respond } = yield* counted()
      const limits = unlimitedRun(me)
      const limited = { ...limits, maxUses: 9 }
      const over = { ...limits, expiresAt: DateTime.makeUnsafe(Date.now() - 1) }
      registered.set(run, limits)
      assert.strictEqual(kept(query), undefined)
      const body = yield* respond(me, run, query)
      assert.strictEqual(kept(query), body)
      counter.revision = { ...counter.revision, isVerified: false }
      assert.strictEqual(kept(query), undefined, "unverified")
      counter.revision = { ...counter.revision, isVerified: true }
      assert.strictEqual(kept(query), body)
      for (const other of [undefined, { ...limits }, over]) {
        if (other === undefined) registered.delete(run)
        else registered.set(run, other)
        assert.strictEqual(kept(query), undefined)
      }
      registered.set(run, limited)
      yield* respond(me, run, query)
      assert.strictEqual(kept(query), undefined, "counted")
      registered.set(run, limits)
      yield* respond(me, run, query)
      counter.revision = state()
      assert.strictEqual(kept(query), undefined, "changed")
    }
  )

  live("resolves again after a change of connections or definitions, or for an unverified store", function*() {
    const { counter, respond } = yield* counted()
    yield* respond(me, run, query)
    counter.revision = state()
    for (let round = 0; round < 2; round++) yield* respond(me, run, query)
    assert.strictEqual(counter.resolutions, 2)
    counter.revision = state(false)
    for (let round = 0; round < 3; round++) yield* respond(me, run, query)
    assert.strictEqual(counter.resolutions, 5)
  })

  it.live("forgets responses after a second, and keeps only a few", () =>
    Effect.acquireUseRelease(
      Effect.sync(() => vi.useFakeTimers({ toFake: ["setTimeout"] })),
      () =>
        Effect.gen(function*() {
          const { counter, respond } = yield* counted()
          yield* respond(me, run, query)
          yield* Effect.sync(() => vi.advanceTimersByTime(999))
          yield* respond(me, run, query)
          assert.strictEqual(counter.resolutions, 1)
          yield* Effect.sync(() => vi.advanceTimersByTime(1))
          yield* respond(me, run, query)
          assert.strictEqual(counter.resolutions, 2)
          for (let port = 1; port <= 200; port++) yield* respond(me, run, JSON.stringify({ host: "a.example", port }))
          yield* respond(me, run, JSON.stringify({ host: "a.example", port: 200 }))
          assert.strictEqual(counter.resolutions, 203)
        }),
      () => Effect.sync(() => vi.useRealTimers())
    ))

  live("responds to valid and invalid requests over HTTP", function*() {
    const daemon = yield* loggedIn
    const agent = yield* keptConnection(daemon)
    for (const { body, error, status } of queries) {
      const answer = yield* resolve(daemon, body, agent)
      assert.deepStrictEqual([answer.status, answer.json.error], [status, error], body)
      assert.deepInclude(answer.headers, {
        "content-type": status === 200 ? "application/json" : "application/problem+json",
        "content-length": String(Buffer.byteLength(answer.body)),
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin"
      })
    }
    const chunked = yield* resolve(daemon, JSON.stringify(asked), agent, { expect: "100-continue" })
    assert.strictEqual(chunked.json.headers.Authorization, `Bearer ${key}`)
    const run = yield* resolve(daemon, JSON.stringify(asked), agent, { "credsvc-run": "short" })
    assert.deepStrictEqual([run.status, run.json.error], [400, "InvalidRequestError"])
  })

  live("records each use by a client that only claims to be a run", function*() {
    const daemon = yield* loggedIn
    for (const id of [first, first]) assert.strictEqual(yield* resolveIn(daemon, id), `Bearer ${key}`)
    const { json } = yield* daemon.request("/audit?event=resolve")
    assert.lengthOf(json.entries, 2)
  })

  withDaemon.live("checks Host, Origin and media type of a request even if its response is cached", function*(daemon) {
    yield* register(daemon, first)
    const agent = yield* keptConnection(daemon)
    const run = { "credsvc-run": first }
    const refused: ReadonlyArray<readonly [number, Record<string, string>]> = [
      [403, { host: "evil.test:7998" }],
      [403, { origin: "http://evil.test" }],
      [403, { "sec-fetch-site": "cross-site" }],
      [403, { "sec-fetch-site": "none" }],
      [415, { "content-type": "text/plain" }]
    ]
    for (const [status, headers] of refused) {
      assert.strictEqual((yield* resolve(daemon, JSON.stringify(asked), agent, run)).status, 200)
      const own = yield* Effect.scoped(
        Effect.flatMap(
          keptConnection(daemon),
          (each) => resolve(daemon, JSON.stringify(asked), each, { ...run, ...headers })
        )
      )
      assert.strictEqual(own.status, status, JSON.stringify(headers))
      assert.notInclude(own.body, key)
    }
  })
})
