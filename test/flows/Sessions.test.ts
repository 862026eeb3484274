/** Tests what the runner guarantees to every flow that contacts a provider, with scripted flows. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type { AuthSession } from "../../src/domain/AuthSession.ts"
import { AuthenticationFailedError } from "../../src/domain/Errors.ts"
import type { Flow, FlowEvent, FlowStep, Grant, LoginRequest } from "../../src/flows/Flow.ts"
import { acme, main, oauthDocument, work } from "../support/Acme.ts"
import { failsWith } from "../support/Failures.ts"
import { loginContext } from "../support/Logins.ts"
import { contentOf, dropIn, loginsWith, query, withHome } from "../support/Services.ts"
import { type Returned, toEffect } from "../support/TestBody.ts"

const definition = (oauth: object = {}, changes: object = {}) =>
  oauthDocument({
    flows: ["pkce", "device_code"],
    ...changes,
    oauth: { device_authorization_url: "https://login.acme.example/device", ...oauth }
  })

const grant = (token: string, more: Partial<Grant> = {}): FlowStep => ({
  _tag: "Granted",
  grant: { values: { access_token: Redacted.make(token) }, ...more }
})

const openUrl = (state: string): FlowStep => ({
  _tag: "OpenUrl",
  message: "Log in at as.acme.example.",
  url: `https://as.acme.example/authorize?state=${state}`,
  callbackState: Redacted.make(state),
  state: { verifier: "CANARY-VERIFIER" }
})

const userCode = (expiresInSeconds = 900): FlowStep => ({
  _tag: "ShowUserCode",
  message: "Enter the code at as.acme.example.",
  userCode: "WDJB-MJHT",
  verificationUri: "https://as.acme.example/device",
  verificationUriComplete: null,
  interval: 5,
  expiresInSeconds,
  state: { deviceCode: "CANARY-DEVICE-CODE" }
})

type Receive = (request: LoginRequest, state: unknown, event: FlowEvent) => ReturnType<Flow["receive"]>

/** Flows of both kinds that begin with `step` and record their events. */
const scripted = (step: FlowStep, receive: Receive = () => Effect.succeed(grant("at-1"))) => {
  const received: Array<FlowEvent> = []
  const flow = (kind: "device_code" | "pkce"): Flow => ({
    kind,
    begin: () => Effect.succeed(step),
    receive: (request, state, event) =>
      Effect.suspend(() => {
        received.push(event)
        return receive(request, state, event)
      })
  })
  return { received, flows: [flow("pkce"), flow("device_code")] }
}

const setUp = Effect.map(loginContext, (context) => ({ ...context, token: context.secret("accessToken") }))

type Context = Effect.Success<typeof setUp>

const started = <A>(home: string, flows: ReadonlyArray<Flow>, body: (context: Context) => Returned<A>) =>
  Effect.flatMap(setUp, (context) => toEffect(body(context))).pipe(Effect.provide(loginsWith(home, flows)))

const inHome = <A>(
  flows: ReadonlyArray<Flow>,
  body: (context: Context, home: string) => Returned<A>,
  document = definition()
) => withHome((home) => started(home, flows, (context) => body(context, home)), document)

const callbackOf = (state: string, more = "code=c-1") => `?state=${state}&${more}`

const settle = Effect.gen(function*() {
  for (let turn = 0; turn < 100; turn++) yield* Effect.yieldNow
})

describe("FlowRunner.callback", () => {
  it.effect("passes the callback to the session of its state, and stores the result", () => {
    const { flows, received } = scripted(openUrl("s-1"))
    return inHome(flows, function*({ events, runner, start, token }) {
      const session = yield* start()
      assert.deepStrictEqual(session.nextAction, {
        type: "open_url",
        url: "https://as.acme.example/authorize?state=s-1"
      })
      const done = yield* runner.callback(callbackOf("s-1"))
      assert.deepInclude(done.session, { sessionId: session.sessionId, status: "completed", error: null })
      assert.strictEqual(done.startedAt, "client")
      assert.strictEqual(yield* token, "at-1")
      assert.deepStrictEqual(received, [{ _tag: "Callback", query: "?state=s-1&code=c-1" }])
      assert.deepStrictEqual(yield* events, ["login ok", "get ok"])
    })
  })

  it.effect("ignores a callback without a known state, including its error", () => {
    const { flows, received } = scripted(openUrl("s-1"))
    return inHome(flows, function*({ runner, start }) {
      const { sessionId } = yield* start()
      for (
        const text of [
          "error=access_denied",
          "code=c",
          "state=",
          "state=s-2&code=c",
          "state=s-1&state=s-1&code=c",
          "state=s-1&code=c&code=d"
        ]
      ) {
        yield* failsWith(runner.callback(text), "SessionNotFoundError")
      }
      assert.strictEqual((yield* runner.get(sessionId)).status, "waiting_for_user")
      assert.lengthOf(received, 0)
    })
  })

  it.effect("contacts the provider once for 50 concurrent identical callbacks, and reports the result to all", () => {
    const { flows, received } = scripted(openUrl("s-1"), () => Effect.as(settle, grant("at-1")))
    return inHome(flows, function*({ runner, start }) {
      yield* start()
      const all = yield* Effect.all(
        Array.from({ length: 50 }, () => runner.callback(callbackOf("s-1"))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(all.map(({ session }) => session.status))], ["completed"])
      assert.lengthOf(received, 1)
      assert.strictEqual((yield* runner.callback(callbackOf("s-1"))).session.status, "completed")
      assert.lengthOf(received, 1)
    })
  })

  it.effect("keeps state, verifier and ID out of the files while it waits", () => {
    const { flows } = scripted(openUrl("CANARY-STATE"))
    return inHome(flows, function*({ start }, home) {
      const { sessionId } = yield* start()
      const content = contentOf(home)
      for (const secret of ["CANARY-STATE", "CANARY-VERIFIER", sessionId]) assert.notInclude(content, secret)
      assert.match(String(query(home, "SELECT state_hash FROM auth_sessions")[0]!["state_hash"]), /^[0-9a-f]{64}$/)
    })
  })

  it.effect("accepts a callback after a restart", () => {
    const { flows } = scripted(openUrl("s-1"))
    return withHome(function*(home) {
      dropIn(home, definition())
      yield* started(home, flows, ({ start }) => start())
      yield* started(home, flows, function*({ runner, token }) {
        assert.strictEqual((yield* runner.callback(callbackOf("s-1"))).session.status, "completed")
        assert.strictEqual(yield* token, "at-1")
      })
    })
  })

  it.effect("stores a failure of the flow in the session and audits it", () => {
    const { flows } = scripted(
      openUrl("s-1"),
      () => Effect.fail(new AuthenticationFailedError({ provider: "acme", detail: "Acme refused." }))
    )
    return inHome(flows, function*({ connections, events, profile, runner, start }) {
      yield* start()
      const { session } = yield* runner.callback(callbackOf("s-1"))
      assert.deepInclude(session, {
        status: "failed",
        error: { error: "AuthenticationFailedError", message: "Acme refused." },
        nextAction: { type: "none" }
      })
      assert.isFalse(yield* connections.exists(profile, acme, main))
      assert.deepStrictEqual(yield* events, ["login denied"])
    })
  })

  it.effect("may lead to another step with its own state", () => {
    let round = 1
    const { flows } = scripted(openUrl("s-1"), () => Effect.succeed(round++ === 1 ? openUrl("s-2") : grant("at-2")))
    return inHome(flows, function*({ runner, start, token }) {
      yield* start()
      assert.strictEqual((yield* runner.callback(callbackOf("s-1"))).session.status, "waiting_for_user")
      yield* failsWith(runner.callback(callbackOf("s-1")), "SessionNotFoundError")
      assert.strictEqual((yield* runner.callback(callbackOf("s-2"))).session.status, "completed")
      assert.strictEqual(yield* token, "at-2")
    })
  })

  it.effect("stores nothing for a login that was cancelled while the provider responded", () =>
    Effect.gen(function*() {
      const asked = yield* Deferred.make<void>()
      const answer = yield* Deferred.make<void>()
      const { flows } = scripted(openUrl("s-1"), () =>
        Deferred.succeed(asked, undefined).pipe(
          Effect.andThen(Deferred.await(answer)),
          Effect.as(grant("at-1"))
        ))
      yield* inHome(flows, function*({ connections, events, profile, runner, start }) {
        const { sessionId } = yield* start()
        const fiber = yield* Effect.forkChild(runner.callback(callbackOf("s-1")))
        yield* Deferred.await(asked)
        assert.strictEqual((yield* runner.get(sessionId)).status, "processing")
        assert.strictEqual((yield* runner.cancel(sessionId)).status, "cancelled")
        yield* Deferred.succeed(answer, undefined)
        assert.strictEqual((yield* Fiber.join(fiber)).session.status, "cancelled")
        assert.isFalse(yield* connections.exists(profile, acme, main))
        assert.deepStrictEqual(yield* events, [])
      })
    }))

  it.effect("reports a login as lost that the last daemon did not finish, and never sends its code again", () =>
    Effect.gen(function*() {
      const asked = yield* Deferred.make<void>()
      const never = scripted(
        openUrl("s-1"),
        () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.interruptible(Effect.never))
      )
      const later = scripted(openUrl("s-2"))
      yield* withHome(function*(home) {
        dropIn(home, definition())
        const id = yield* started(home, never.flows, function*({ runner, start }) {
          const { sessionId } = yield* start()
          const fiber = yield* Effect.forkChild(runner.callback(callbackOf("s-1")))
          yield* Deferred.await(asked)
          yield* Fiber.interrupt(fiber)
          return sessionId
        })
        yield* started(home, later.flows, function*({ runner }) {
          yield* settle
          const session = yield* runner.get(id)
          assert.strictEqual(session.status, "failed")
          assert.include(session.error?.message, "daemon stopped during this login")
          assert.strictEqual((yield* runner.callback(callbackOf("s-1"))).session.status, "failed")
          assert.lengthOf(later.received, 0)
        })
      })
    }))

  it.effect("finishes even if the browser disconnects", () =>
    Effect.gen(function*() {
      const asked = yield* Deferred.make<void>()
      const answer = yield* Deferred.make<void>()
      const { flows } = scripted(openUrl("s-1"), () =>
        Deferred.succeed(asked, undefined).pipe(Effect.andThen(Deferred.await(answer)), Effect.as(grant("at-1"))))
      yield* inHome(flows, function*({ runner, start, token }) {
        yield* start()
        const fiber = yield* Effect.forkChild(runner.callback(callbackOf("s-1")))
        yield* Deferred.await(asked)
        const leaving = yield* Effect.forkChild(Fiber.interrupt(fiber))
        yield* Deferred.succeed(answer, undefined)
        yield* Fiber.join(leaving)
        assert.strictEqual(yield* token, "at-1")
      })
    }))

  it.effect("stores the result of the first of two logins on one connection, and of a later one only with force", () => {
    let count = 0
    const { flows } = scripted(
      openUrl("unused"),
      (_, state) => Effect.succeed(grant(`at-of-${(state as { own: number }).own}`))
    )
    const numbered = flows.map(({ kind, receive }): Flow => ({
      kind,
      receive,
      begin: () => {
        count++
        return Effect.succeed({ ...openUrl(`s-${count}`), state: { own: count } } as FlowStep)
      }
    }))
    return inHome(numbered, function*({ runner, start, token }) {
      yield* start()
      const second = yield* start()
      yield* start()
      yield* runner.callback(callbackOf("s-1"))
      assert.strictEqual(
        (yield* runner.callback(callbackOf("s-2"))).session.error?.error,
        "ConnectionAlreadyExistsError"
      )
      assert.strictEqual((yield* runner.get(second.sessionId)).status, "failed")
      assert.strictEqual(yield* token, "at-of-1")
      yield* start({ force: true })
      yield* runner.callback(callbackOf("s-4"))
      assert.strictEqual(yield* token, "at-of-4")
    })
  })

  it.effect("adopts the tenant address that the provider returns, and reports a warning", () => {
    const { flows } = scripted(
      openUrl("s-1"),
      () => Effect.succeed(grant("at-1", { baseUrl: "https://a.acme.example", warning: "Not granted: write." }))
    )
    const tenants = definition({
      base_url: "https://{tenant}.acme.example",
      token_response: { base_url: "/instance_url" }
    }, { api_url: "{base_url}/api" })
    return inHome(flows, function*({ connections, profile, runner, start }) {
      yield* start()
      const { session } = yield* runner.callback(callbackOf("s-1"))
      assert.deepInclude(session, { message: "acme is connected.", warning: "Not granted: write." })
      const connection = yield* connections.get(profile, acme, main, { reveal: false })
      assert.deepInclude(connection, {
        status: "connected",
        baseUrl: "https://a.acme.example",
        apiUrl: "https://a.acme.example/api"
      })
    }, tenants)
  })

  it.effect("expires after ten minutes", () => {
    const { flows, received } = scripted(openUrl("s-1"))
    return inHome(flows, function*({ runner, start }) {
      yield* start()
      yield* TestClock.adjust("10 minutes")
      yield* failsWith(runner.callback(callbackOf("s-1")), "SessionExpiredError")
      assert.lengthOf(received, 0)
    })
  })
})

describe("FlowRunner with a device login", () => {
  const pending: Receive = (_, state) => Effect.succeed({ _tag: "Wait", seconds: 5, state: state as never })
  const device = { flow: "device_code" } as const

  it.effect("polls after each interval until the provider grants, and wakes waiters", () => {
    let polls = 0
    const { flows, received } = scripted(
      userCode(),
      (request, state, event) => ++polls < 3 ? pending(request, state, event) : Effect.succeed(grant("at-1"))
    )
    return inHome(flows, function*({ runner, start, token }) {
      const { nextAction, sessionId } = yield* start(device)
      assert.strictEqual(nextAction.type, "show_user_code")
      const waiter = yield* Effect.forkChild(runner.get(sessionId, { waitSeconds: 30 }))
      yield* settle
      assert.lengthOf(received, 0)
      for (const count of [1, 2]) {
        yield* TestClock.adjust("4 seconds")
        yield* settle
        assert.lengthOf(received, count - 1)
        yield* TestClock.adjust("1 second")
        yield* settle
        assert.lengthOf(received, count)
        assert.isUndefined(waiter.pollUnsafe())
      }
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(waiter)).status, "completed")
      assert.strictEqual(yield* token, "at-1")
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(received, 3)
    })
  })

  it.effect("waits as long as the flow says, poll by poll", () => {
    const { flows, received } = scripted(
      userCode(),
      (_, state) => Effect.succeed({ _tag: "Wait", seconds: 30, state: state as never })
    )
    return inHome(flows, function*({ start }) {
      yield* start(device)
      yield* settle
      yield* TestClock.adjust("5 seconds")
      yield* settle
      yield* TestClock.adjust("29 seconds")
      yield* settle
      assert.lengthOf(received, 1)
      yield* TestClock.adjust("1 second")
      yield* settle
      assert.lengthOf(received, 2)
    })
  })

  it.effect("stops when the login is cancelled", () => {
    const { flows, received } = scripted(userCode(), pending)
    return inHome(flows, function*({ runner, start }) {
      const { sessionId } = yield* start(device)
      yield* runner.cancel(sessionId)
      yield* TestClock.adjust("5 minutes")
      yield* settle
      assert.lengthOf(received, 0)
    })
  })

  it.effect("stops when the code expires, and after half an hour at the latest, and reports expiry", () => {
    const { flows } = scripted(userCode(12), pending)
    return inHome(flows, function*({ runner, start }) {
      const { sessionId } = yield* start(device)
      yield* settle
      yield* TestClock.adjust("12 seconds")
      yield* settle
      yield* failsWith(runner.get(sessionId), "SessionExpiredError")
    }).pipe(Effect.andThen(() => {
      const long = scripted(userCode(86_400), pending)
      return inHome(long.flows, function*({ start }) {
        const { createdAt, expiresAt } = yield* start(device)
        assert.strictEqual(expiresAt.epochMilliseconds - createdAt.epochMilliseconds, 30 * 60_000)
      })
    }))
  })

  it.effect("expires when the provider says so, and fails when access is denied", () => {
    const denied = new AuthenticationFailedError({ provider: "acme", detail: "Denied." })
    const { flows, received } = scripted(
      userCode(),
      ({ connection }) => connection === main ? Effect.succeed({ _tag: "Expired" }) : Effect.fail(denied)
    )
    return inHome(flows, function*({ runner, start }) {
      const expired = yield* start(device)
      const failed = yield* start({ ...device, connection: work })
      yield* settle
      yield* TestClock.adjust("1 minute")
      yield* settle
      yield* failsWith(runner.get(expired.sessionId), "SessionExpiredError")
      assert.strictEqual((yield* runner.get(failed.sessionId)).error?.message, "Denied.")
      assert.lengthOf(received, 2)
    })
  })

  it.effect("continues after a restart with one poller and the code still sealed", () =>
    withHome(function*(home) {
      dropIn(home, definition())
      const first = scripted(userCode(), pending)
      const session: AuthSession = yield* started(home, first.flows, ({ start }) => start(device))
      assert.notInclude(JSON.stringify(session), "CANARY-DEVICE-CODE")
      assert.notInclude(contentOf(home), "CANARY-DEVICE-CODE")
      const second = scripted(userCode(), (_, state) => {
        assert.deepStrictEqual(state, { deviceCode: "CANARY-DEVICE-CODE" })
        return Effect.succeed(grant("at-2"))
      })
      yield* started(home, second.flows, function*({ runner, token }) {
        yield* settle
        assert.strictEqual((yield* runner.get(session.sessionId)).status, "waiting_for_user")
        yield* TestClock.adjust("5 seconds")
        yield* settle
        assert.strictEqual((yield* runner.get(session.sessionId)).status, "completed")
        assert.strictEqual(yield* token, "at-2")
        assert.lengthOf(second.received, 1)
      })
    }))
})
