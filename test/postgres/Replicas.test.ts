/** What daemons that share a database guarantee together. Their processes are tested in ReplicaProcesses.test.ts. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import { isFinal, type SessionId } from "../../src/domain/wire/AuthSession.ts"
import type { Flow, FlowStep } from "../../src/flows/Flow.ts"
import { LeaseOwner } from "../../src/platform/store/LeaseOwner.ts"
import { makeLeases } from "../../src/vault/Leases.ts"
import { StoreTransaction } from "../../src/vault/manifest/StoreManifest.ts"
import { acme, main, work } from "../support/Acme.ts"
import { type FakeIssuer, lost } from "../support/FakeIssuer.ts"
import { testsIn } from "../support/Fixture.ts"
import { loginContext } from "../support/Logins.ts"
import { binding, type Context, issuerOfAcme, type Needs, started, withIssuer } from "../support/OAuthConnections.ts"
import { abandonedLease, disconnect, leaseOwners, replicaOf } from "../support/Replicas.ts"
import { definition, grant } from "../support/ScriptedFlows.ts"
import { loginsWith, withHome } from "../support/Services.ts"
import { type Returned, toEffect } from "../support/TestBody.ts"
import { executeOn, storeOfHome } from "../support/TestStore.ts"
import { eventually } from "../support/Until.ts"

/** Two daemons with a connection whose access token has expired. */
const withReplicas = (
  body: (one: Context, other: Context, issuer: FakeIssuer, home: string) => Returned<void, Needs>
) =>
  withIssuer(function*(one, issuer, home) {
    yield* one.login({ seconds: 1 })
    yield* Effect.sleep(1000)
    const copy = yield* replicaOf(home)
    yield* started(copy, issuer, (other) => toEffect(body(one, other, issuer, home)), storeOfHome(home))
  })

const { live } = testsIn(withReplicas)

const requested = (issuer: FakeIssuer, count: number) =>
  eventually(Effect.sync(() => issuer.refreshes), ({ length }) => length === count)

const many = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.all(Array.from({ length: 100 }, () => effect), { concurrency: "unbounded" })

describe("Daemons that share a database", () => {
  live("refresh an expired token once, for 100 requests to each of them", function*(one, other, issuer) {
    const tokens = yield* Effect.all([many(one.token()), many(other.token())], { concurrency: 2 })
    assert.deepStrictEqual([...new Set(tokens.flat())], ["at-1"])
    assert.deepStrictEqual(issuer.spent, ["rt-0"])
  })

  live("wait for a refresh whose daemon has lost the database and connects again", function*(one, other, issuer, home) {
    const pause = issuer.pause()
    const refreshing = yield* Effect.forkChild(one.token())
    yield* requested(issuer, 1)
    const waiting = yield* Effect.forkChild(other.token())
    yield* Effect.sleep(300)
    assert.isAtLeast(disconnect(home), 2)
    yield* Effect.sleep(3500)
    assert.lengthOf(issuer.refreshes, 1)
    yield* pause.release
    assert.strictEqual(yield* Fiber.join(refreshing), "at-1")
    assert.strictEqual(yield* Fiber.join(waiting), "at-1")
    assert.lengthOf(leaseOwners(home), 0)
  })

  live("repeat the refresh of a daemon that ended and may have used the token", function*(one, other, issuer, home) {
    abandonedLease(home)
    const waiting = yield* Effect.forkChild(other.token())
    yield* Effect.sleep(1000)
    assert.lengthOf(issuer.refreshes, 0)
    assert.strictEqual(yield* Fiber.join(waiting), "at-1")
    assert.strictEqual(yield* one.token(), "at-1")
    assert.deepStrictEqual(issuer.spent, ["rt-0"])
  })

  for (const first of ["earlier", "later"] as const) {
    live(`keep the tokens of the later request if the ${first} is stored first`, function*(one, other, issuer, home) {
      const gates = { earlier: Deferred.makeUnsafe<void>(), later: Deferred.makeUnsafe<void>() }
      issuer.behavior = (_, normal) => {
        // A server that accepts a used refresh token until its successor is used.
        issuer.refreshToken = "rt-0"
        const reply = normal()
        return Effect.as(Deferred.await(issuer.issued === 1 ? gates.earlier : gates.later), reply)
      }
      const earlier = yield* Effect.forkChild(one.token())
      yield* requested(issuer, 1)
      executeOn(home, "UPDATE token_refreshes SET owner = '7'")
      const later = yield* Effect.forkChild(other.token())
      yield* requested(issuer, 2)
      yield* Deferred.succeed(gates[first], undefined)
      yield* Fiber.join(first === "earlier" ? earlier : later)
      yield* Deferred.succeed(gates.earlier, undefined)
      yield* Deferred.succeed(gates.later, undefined)
      yield* Fiber.join(earlier)
      yield* Fiber.join(later)
      assert.deepStrictEqual([yield* one.token(), yield* other.token()], ["at-2", "at-2"])
      assert.deepStrictEqual(issuer.sent.filter(({ url }) => url.endsWith("/revoke")), [])
    })
  }

  live(
    "repeat no request of a daemon that was paused while another one refreshed",
    function*(one, other, issuer, home) {
      const resumed = yield* Deferred.make<void>()
      issuer.once(() => Effect.andThen(Deferred.await(resumed), lost))
      const paused = yield* Effect.forkChild(one.token())
      yield* requested(issuer, 1)
      executeOn(home, "UPDATE token_refreshes SET owner = '7'")
      assert.strictEqual(yield* other.token(), "at-1")
      yield* Deferred.succeed(resumed, undefined)
      assert.strictEqual(yield* Fiber.join(paused), "at-1")
      assert.lengthOf(
        issuer.refreshes,
        2,
        "with a third request the server would end the login, whose token is used up"
      )
    }
  )

  const late = {
    "the new tokens": undefined,
    "the end of the login": { status: 400, body: { error: "invalid_grant" } }
  }
  for (const [what, reply] of Object.entries(late)) {
    live(
      `do not end the lease of a later refresh if an earlier refresh gets ${what} late`,
      function*(one, other, issuer, home) {
        const resumed = yield* Deferred.make<void>()
        issuer.once((_, normal) => {
          const tokens = normal()
          issuer.refreshToken = "rt-0"
          return Effect.as(Deferred.await(resumed), reply ?? tokens)
        })
        const paused = yield* Effect.forkChild(one.token())
        yield* requested(issuer, 1)
        executeOn(home, "UPDATE token_refreshes SET owner = '7'")
        assert.strictEqual(yield* other.token(), "at-2")
        abandonedLease(home)
        yield* Deferred.succeed(resumed, undefined)
        yield* Fiber.await(paused)
        assert.deepStrictEqual(leaseOwners(home), ["7"])
      }
    )
  }

  live("keep the tokens of a refresh while another daemon reads unusable metadata", function*(one, other, issuer) {
    yield* one.login({ force: true, seconds: 1, oauth: { ...binding, discovered: true } })
    yield* Effect.sleep(1000)
    let origin = issuerOfAcme
    const gate = yield* Deferred.make<void>()
    issuer.behavior = (request, normal) => {
      if (!request.url.includes("/.well-known/")) return Effect.as(Deferred.await(gate), normal())
      const body = {
        issuer: issuerOfAcme,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`
      }
      origin = "https://login.evil.example"
      return { body: { ...body, response_types_supported: ["code"], code_challenge_methods_supported: ["S256"] } }
    }
    const refreshing = yield* Effect.forkChild(one.token())
    yield* requested(issuer, 1)
    const waiting = yield* Effect.forkChild(other.token())
    yield* Effect.sleep(1000)
    yield* Deferred.succeed(gate, undefined)
    assert.strictEqual(yield* Fiber.join(refreshing), "at-1")
    assert.strictEqual(yield* Fiber.join(waiting), "at-1")
  })

  const revoked = (issuer: FakeIssuer) =>
    issuer.sent.flatMap(({ fields, url }) => url.endsWith("/revoke") ? [fields["token"]] : [])

  const requestedRevocation = (issuer: FakeIssuer) =>
    eventually(Effect.sync(() => revoked(issuer)), ({ length }) => length === 1)

  live(
    "leave a revocation to the daemon that performs it, even when another daemon starts",
    function*(one, other, issuer, home) {
      yield* one.login({ force: true })
      const pause = issuer.pause()
      const revocation = yield* Effect.forkChild(one.connections.revoke(one.profile, acme))
      yield* requestedRevocation(issuer)
      const copy = yield* replicaOf(home)
      yield* started(copy, issuer, function*(later) {
        // Made since, at another daemon.
        yield* later.login({ connection: work, tokens: ["at-work", "rt-work"] })
        const asked = yield* Effect.forkChild(later.connections.revoke(later.profile, acme))
        yield* Effect.sleep(1000)
        assert.deepStrictEqual(revoked(issuer), ["rt-0"])
        assert.strictEqual(yield* other.token({ connection: work }), "at-work")
        yield* pause.release
        yield* Fiber.join(revocation)
        assert.deepStrictEqual((yield* Fiber.join(asked)).connections, [work])
      }, storeOfHome(home))
      assert.deepStrictEqual(revoked(issuer), ["rt-0", "at-0", "rt-work", "at-work"])
      const recorded = (yield* one.events).filter((event) => event.startsWith("revoke"))
      assert.deepStrictEqual(recorded, ["revoke default ok", "revoke work ok"])
      assert.lengthOf(leaseOwners(home), 0)
    }
  )

  live("finish the revocation of a daemon that has ended, and keep new connections", function*(one, _, issuer, home) {
    yield* one.login({ force: true })
    const copy = yield* replicaOf(home)
    const pause = issuer.pause()
    const lost = yield* Effect.forkChild(
      started(copy, issuer, (later) => later.connections.revoke(later.profile, acme), storeOfHome(home))
    )
    yield* requestedRevocation(issuer)
    yield* Fiber.interrupt(lost)
    yield* one.login({ connection: work, tokens: ["at-work", "rt-work"] })
    yield* pause.release
    yield* eventually(one.connections.list(one.profile), ({ length }) => length === 1)
    assert.strictEqual(yield* one.token({ connection: work }), "at-work")
    assert.deepStrictEqual(revoked(issuer), ["rt-0", "rt-0", "at-0"])
    assert.lengthOf(leaseOwners(home), 0)
  })

  live("see the changes of another daemon immediately", function*(one, other) {
    yield* other.token()
    const changed = yield* Deferred.make<void>()
    const remove = other.connections.onChange(() => Deferred.doneUnsafe(changed, Effect.void))
    const before = yield* other.connections.routes(other.profile)
    yield* one.connections.logout(one.profile, acme, main)
    yield* Deferred.await(changed)
    remove()
    const after = yield* other.connections.routes(other.profile)
    assert.notStrictEqual(after.version, before.version)
  })

  live(
    "stop using tables that a newer version has changed, without reporting tampering",
    function*(one, other, _, home) {
      yield* other.token()
      executeOn(
        home,
        "CREATE TABLE newer (id BIGINT)",
        "UPDATE schema_version SET version = version + 1",
        "UPDATE manifest SET epoch = epoch"
      )
      const error = yield* Effect.flip(one.connections.logout(one.profile, acme, main))
      assert.include(error.message, "was written by a newer version of credsvc")
      executeOn(home, "DROP TABLE newer", "UPDATE schema_version SET version = version - 1")
      yield* one.connections.logout(one.profile, acme, main)
    }
  )

  live("do not reuse results from rows that another daemon has changed", function*(one, other) {
    yield* other.token()
    const before = yield* other.connections.revision
    yield* one.connections.logout(one.profile, acme, main)
    // Verifies the store before anybody has asked for the revision.
    yield* other.record().pipe(Effect.flip)
    const after = yield* other.connections.revision
    assert.notStrictEqual(after, before)
  })
})

describe("Leases on PostgreSQL", () => {
  /** The leases of a daemon of its own, which ends with the scope. */
  const daemon = (home: string) =>
    Effect.gen(function*() {
      const context = yield* Layer.build(Layer.fresh(storeOfHome(home)))
      const leases = yield* Effect.provideContext(makeLeases, context)
      const sql = yield* Effect.provideContext(SqlClient.SqlClient, context)
      const { own } = yield* Effect.provideContext(LeaseOwner, context)
      yield* sql`SELECT 1`
      const acquire = () =>
        Effect.provideService(
          sql.withTransaction(leases.acquire("work:1")),
          StoreTransaction,
          // The rows of leases are not covered.
          { vault: {} as never }
        )
      return { acquire, end: leases.end("work:1"), own, sql }
    })

  it.live("belong to one daemon until it ends them", () =>
    withHome(function*(home) {
      const [one, other] = [yield* daemon(home), yield* daemon(home)]
      assert.strictEqual(yield* one.acquire(), "begun")
      assert.strictEqual(yield* other.acquire(), "taken")
      assert.strictEqual(yield* one.acquire(), "again")
      yield* one.end
      assert.strictEqual(yield* other.acquire(), "begun")
    }))

  it.live("end with the session of a daemon, after a pause in which it may reconnect", () =>
    withHome(function*(home) {
      const other = yield* daemon(home)
      yield* Effect.scoped(Effect.flatMap(daemon(home), (one) => one.acquire()))
      assert.strictEqual(yield* other.acquire(), "taken")
      yield* Effect.sleep(1000)
      assert.strictEqual(yield* other.acquire(), "taken")
      yield* Effect.sleep(1100)
      assert.strictEqual(yield* other.acquire(), "again")
    }))

  it.live("end with the session of their daemon, even if the daemon polls every five seconds (RFC 8628)", () =>
    withHome(function*(home) {
      const other = yield* daemon(home)
      yield* Effect.scoped(Effect.flatMap(daemon(home), (one) => one.acquire()))
      assert.strictEqual(yield* other.acquire(), "taken")
      yield* Effect.sleep(5100)
      assert.strictEqual(yield* other.acquire(), "again")
    }))

  it.live("stay with a daemon that reconnects", () =>
    withHome(function*(home) {
      const [one, other] = [yield* daemon(home), yield* daemon(home)]
      yield* one.acquire()
      for (let second = 0; second < 4; second++) {
        if (second % 2 === 0) assert.isAtLeast(disconnect(home), 2)
        yield* Effect.sleep(1000)
        assert.strictEqual(yield* Effect.retry(other.acquire(), { times: 3 }), "taken")
      }
    }))

  it.live("end at their deadline by the clock of the database", () =>
    withHome(function*(home) {
      const [one, other] = [yield* daemon(home), yield* daemon(home)]
      yield* one.acquire()
      yield* one.sql`UPDATE token_refreshes SET deadline = ${new Date(Date.now() + 500).toISOString()}`
      assert.strictEqual(yield* other.acquire(), "taken")
      yield* Effect.sleep(600)
      assert.strictEqual(yield* other.acquire(), "again")
      assert.deepStrictEqual(leaseOwners(home), [other.own])
    }))
})

describe("Logins at daemons that share a database", () => {
  const device: FlowStep = {
    _tag: "ShowUserCode",
    message: "Enter the code at as.acme.example.",
    userCode: "WDJB-MJHT",
    verificationUri: "https://as.acme.example/device",
    verificationUriComplete: null,
    interval: 1,
    expiresInSeconds: 900,
    state: {}
  }
  const browser: FlowStep = {
    _tag: "OpenUrl",
    message: "Log in.",
    url: "https://as.acme.example/authorize?state=s-1",
    callbackState: Redacted.make("s-1"),
    state: {}
  }
  /** Creates the vault. */
  const first: FlowStep = { ...browser, callbackState: Redacted.make("s-0") }
  const form: FlowStep = { _tag: "AskInput", message: "Choose.", fields: [], state: {} }

  /** A daemon that ends with the scope, or when `end` is called. */
  const daemonAt = (own: string, home: string, receive: Flow["receive"], step: FlowStep) =>
    Effect.gen(function*() {
      const scope = yield* Scope.fork(yield* Effect.scope)
      const flows = (["pkce", "device_code"] as const).map((kind): Flow => ({
        kind,
        begin: ({ connection }) => Effect.succeed(connection === work ? first : step),
        receive
      }))
      const layer = loginsWith(own, flows, storeOfHome(home))
      const context = yield* Layer.buildWithScope(Layer.fresh(layer), scope)
      const login = yield* Effect.provideContext(loginContext, context)
      return { ...login, end: Scope.close(scope, Exit.void) }
    })

  /** Waits until the login is over, as clients do. */
  const ended = ({ runner }: Daemon, id: SessionId) =>
    Effect.repeat(runner.get(id, { waitSeconds: 30 }), { until: ({ status }) => isFinal(status) })

  type Daemon = Effect.Success<ReturnType<typeof daemonAt>>

  const withDaemons = (
    step: FlowStep,
    receive: (name: "one" | "other") => Flow["receive"],
    body: (one: Daemon, other: Daemon, home: string) => Generator<Effect.Effect<any, any, Scope.Scope>, void, any>
  ) =>
    withHome(
      function*(home) {
        const one = yield* daemonAt(home, home, receive("one"), step)
        const { sessionId } = yield* one.start({ connection: work })
        yield* one.runner.cancel(sessionId)
        const other = yield* daemonAt(yield* replicaOf(home), home, receive("other"), step)
        yield* Effect.gen(() => body(one, other, home))
      },
      definition
    )

  it.live("may begin at one daemon, return to the other, and continue at the first", () => {
    const seen: Array<string> = []
    const receive = (name: string): Flow["receive"] => (_, __, { _tag }) => {
      seen.push(`${_tag} at ${name}`)
      return Effect.succeed(_tag === "Callback" ? form : grant("at-1"))
    }
    return withDaemons(browser, receive, function*(one, other) {
      const { sessionId } = yield* one.start()
      // The callback changes the session twice: it claims it, and goes on to the form.
      const waiting = yield* Effect.forkChild(
        Effect.repeat(one.runner.get(sessionId, { waitSeconds: 30 }), {
          until: ({ status }) => status !== "processing"
        })
      )
      yield* Effect.sleep(200)
      yield* other.runner.callback("state=s-1&code=c")
      const woken = yield* Fiber.join(waiting)
      assert.strictEqual(woken.nextAction.type === "none" ? woken.status : woken.nextAction.type, "enter_input")
      const { token } = yield* one.runner.form(sessionId)
      const done = yield* Effect.forkChild(ended(other, sessionId))
      yield* Effect.sleep(200)
      assert.strictEqual((yield* one.runner.submitForm(sessionId, token, {})).status, "completed")
      assert.strictEqual((yield* Fiber.join(done)).status, "completed")
      assert.deepStrictEqual(seen, ["Callback at other", "Input at one"])
    })
  })

  it.live("accept a form token only once, even if both daemons receive it", () =>
    withDaemons(form, () => () => Effect.succeed(grant("at-1")), function*(one, other) {
      const { sessionId } = yield* one.start()
      const { token } = yield* one.runner.form(sessionId)
      const outcomes = yield* Effect.all(
        [one, other].map(({ runner }) => Effect.exit(runner.submitForm(sessionId, token, {}))),
        { concurrency: 2 }
      )
      assert.lengthOf(outcomes.filter(Exit.isSuccess), 1)
    }))

  it.live("poll with a device code at one daemon, and at the other when the first has ended", () => {
    const polls: Array<string> = []
    const receive = (name: string): Flow["receive"] => (_, state) => {
      polls.push(name)
      return Effect.succeed({ _tag: "Wait", seconds: 1, state })
    }
    return withDaemons(device, receive, function*(one, other, home) {
      // Of a daemon that ended as its login was over.
      executeOn(home, "INSERT INTO token_refreshes VALUES ('device:over', 0, '7', '2026-01-01T00:00:00.000Z')")
      yield* one.start({ flow: "device_code" })
      const [poller] = yield* eventually(Effect.sync(() => polls), ({ length }) => length >= 3)
      assert.deepStrictEqual([...new Set(polls)], [poller])
      assert.lengthOf(leaseOwners(home), 1)
      yield* poller === "one" ? one.end : other.end
      const before = polls.length
      const later = yield* eventually(Effect.sync(() => polls.slice(before)), ({ length }) => length >= 2)
      assert.deepStrictEqual([...new Set(later)], [poller === "one" ? "other" : "one"])
    })
  })

  it.live("end or continue at the other daemon if their daemon ends during a request to the provider", () => {
    const asked: Array<string> = []
    const receive = (name: "one" | "other"): Flow["receive"] => (_, state, event) => {
      asked.push(`${event._tag} ${event._tag === "Proceed" && event.again} at ${name}`)
      if (event._tag === "Callback") return Effect.succeed({ _tag: "Proceed", message: "Sending.", state })
      return name === "one" ? Effect.interruptible(Effect.never) : Effect.succeed(grant("at-1"))
    }
    return withDaemons(browser, receive, function*(one, other) {
      const { sessionId } = yield* one.start()
      const lost = yield* Effect.forkDetach(one.runner.callback("state=s-1&code=c"))
      yield* eventually(Effect.sync(() => asked), ({ length }) => length === 2)
      yield* Effect.sleep(1500)
      assert.lengthOf(asked, 2)
      yield* one.end
      assert.strictEqual((yield* ended(other, sessionId)).status, "completed")
      assert.deepStrictEqual(asked, ["Callback false at one", "Proceed false at one", "Proceed true at other"])
      yield* Fiber.interrupt(lost)
    })
  })
})
