import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { failsWith } from "../support/Failures.ts"
import { lost } from "../support/FakeIssuer.ts"
import type { Outcome, Reply, Script } from "../support/FakeOAuthHttp.ts"
import {
  client,
  definition,
  device,
  inHomeOf,
  issuer,
  metadata,
  metadataUrl,
  rejected,
  token,
  tokens,
  undefinedEndpoints
} from "../support/OAuthLogins.ts"
import { settle } from "../support/TestBody.ts"
import { onPostgres } from "../support/TestStore.ts"

const inHome = inHomeOf(definition())

// The clock of tests does not wait for PostgreSQL.
describe.skipIf(onPostgres)("DeviceCodeFlow", () => {
  const authorized: Reply = {
    body: {
      device_code: "CANARY-DEVICE",
      user_code: "WDJB-MJHT",
      verification_uri: "https://acme.example/device",
      expires_in: 900
    }
  }
  const login = { flow: "device_code" } as const
  const pass = (seconds: number) => Effect.andThen(TestClock.adjust(`${seconds} seconds`), settle)

  /** The replies to the polls, one by one. */
  const polling = (...replies: ReadonlyArray<Outcome>): Script => ({
    [device]: authorized,
    [token]: (_, count) => replies[count - 1] ?? rejected("access_denied")
  })

  it.effect("polls as the definition says, and continues after 428", () =>
    inHomeOf(definition({
      client_authentication: "client_secret_post",
      device_client_authentication: "client_secret_basic"
    }))(
      polling({ status: 428, body: { errors: [{ description: "pending" }] } }, tokens()),
      function*({ runner, start }, { at }) {
        const form = yield* start(login)
        const session = yield* runner.resume(form.sessionId, { ...client, client_secret: Redacted.make("sec") })
        yield* settle
        yield* pass(5)
        assert.strictEqual((yield* runner.get(session.sessionId)).status, "waiting_for_user")
        yield* pass(5)
        assert.strictEqual((yield* runner.get(session.sessionId)).status, "completed")
        assert.isUndefined(at(device)[0]!.authorization)
        for (const poll of at(token)) {
          assert.strictEqual(poll.authorization, `Basic ${btoa("cid:sec")}`)
          assert.notProperty(poll.fields, "client_secret")
        }
      }
    ))

  it.effect("continues to poll after the client has disconnected, if the client has received the code", () =>
    inHome(
      polling(tokens()),
      function*({ runner, start }) {
        const { sessionId } = yield* start(login)
        const waiting = yield* Effect.forkChild(runner.get(sessionId, { waitSeconds: 20 }), { startImmediately: true })
        yield* settle
        const resuming = yield* Effect.forkChild(runner.resume(sessionId, client))
        assert.strictEqual((yield* Fiber.join(waiting)).nextAction.type, "show_user_code")
        yield* Fiber.interrupt(resuming)
        yield* settle
        yield* pass(5)
        assert.strictEqual((yield* runner.get(sessionId)).status, "completed")
      }
    ))

  it.effect("does not start at a discovered server without a token endpoint, because refreshes need one", () =>
    inHomeOf(definition({ ...undefinedEndpoints, issuer }, { flow: "device_code", flows: ["device_code"] }))(
      { [metadataUrl]: { body: { ...metadata, device_authorization_endpoint: device, token_endpoint: undefined } } },
      function*({ start }) {
        const error = yield* failsWith(start(login), "AuthenticationFailedError")
        assert.include(error.message, "token endpoint")
      }
    ))

  it.effect("polls five seconds slower after each slow_down, and backs off while the server is unavailable", () => {
    const pending = rejected("authorization_pending")
    const passing = [{ status: 503 }, Effect.fail(lost), rejected("temporarily_unavailable"), rejected("server_error")]
    const script = polling(rejected("slow_down"), pending, ...passing, pending, tokens())
    return inHome(script, function*({ runner, toBrowser }, { at }) {
      const { sessionId } = yield* toBrowser(login)
      yield* settle
      const times: Array<number> = []
      for (let now = 1; now <= 300; now++) {
        const before = at(token).length
        yield* pass(1)
        if (at(token).length > before) times.push(now)
      }
      // 5; slow_down makes it 10; failures double it up to a minute; then 10 again.
      assert.deepStrictEqual(times, [5, 15, 25, 45, 85, 145, 205, 215])
      assert.strictEqual((yield* runner.get(sessionId)).status, "completed")
    })
  })

  it.effect("fails when the person refuses, and expires when the code expires", () =>
    Effect.forEach(
      ["access_denied", "expired_token"],
      (error) =>
        inHome(polling(rejected(error)), function*({ runner, toBrowser }, { at }) {
          const { sessionId } = yield* toBrowser(login)
          yield* settle
          yield* pass(60)
          assert.lengthOf(at(token), 1)
          if (error === "expired_token") return void (yield* failsWith(runner.get(sessionId), "SessionExpiredError"))
          const session = yield* runner.get(sessionId)
          assert.strictEqual(session.status, "failed")
          assert.include(session.error?.message, "access was denied")
        })
    ))

  it.effect("asks again for client credentials when the provider does not know the client", () =>
    inHome(
      { [device]: (_, count) => count === 1 ? rejected("invalid_client", 401) : authorized },
      function*({ runner, toBrowser }) {
        const form = yield* toBrowser(login)
        assert.strictEqual(form.nextAction.type, "enter_input")
        assert.include(form.message, "invalid_client")
        assert.strictEqual((yield* runner.resume(form.sessionId, client)).nextAction.type, "show_user_code")
      }
    ))

  it.effect("keeps client credentials that the provider rejects for this flow, for use in another flow", () =>
    inHome(
      { [token]: tokens(), [device]: rejected("unauthorized_client") },
      function*({ finish, start, stored, toBrowser }) {
        yield* finish(yield* toBrowser())
        const error = yield* failsWith(start({ ...login, force: true }), "AuthenticationFailedError")
        assert.include(error.message, "this client may not use this login method (unauthorized_client)")
        assert.deepInclude((yield* stored)[0], { clientId: "cid", refusedAt: null })
        assert.strictEqual((yield* start({ force: true })).nextAction.type, "open_url")
      }
    ))
})
