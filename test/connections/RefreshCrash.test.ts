import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { SharedAccess } from "../../src/store/Sqlite.ts"
import { answer, type FakeIssuer, unreachable } from "../support/FakeIssuer.ts"
import { type Context, type Needs, started, withIssuer } from "../support/OAuthConnections.ts"
import { query, tamper } from "../support/Services.ts"

/** Copies the disk: the home as the next process would find it if this one died here. */
const snapshot = (home: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const copy = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-crash-"))
      fs.cpSync(home, copy, { recursive: true })
      return copy
    }),
    (copy) => Effect.sync(() => fs.rmSync(copy, { recursive: true, force: true }))
  )

const afterCrash = <A, E>(home: string, issuer: FakeIssuer, body: (context: Context) => Effect.Effect<A, E, Needs>) =>
  Effect.scoped(Effect.flatMap(snapshot(home), (copy) => started(copy, issuer, body)))

/** Continues from the disk state while a request is pending, and then fails the request. */
const onDiskCopy = <A, E, R>(
  home: string,
  issuer: FakeIssuer,
  pause: ReturnType<FakeIssuer["pause"]>,
  body: (copy: string) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    yield* pause.arrived
    yield* Effect.scoped(Effect.flatMap(snapshot(home), body))
    issuer.behaviour = () => Effect.succeed(answer(503, {}))
    yield* pause.release
  })

const unfinished = (home: string) => query(home, "SELECT * FROM token_refreshes").length

describe("a crash during a refresh", () => {
  it.effect("journals a refresh token before it is sent", () =>
    withIssuer(({ login, token }, issuer, home) =>
      Effect.gen(function*() {
        yield* login()
        yield* TestClock.adjust("2 hours")
        const pause = issuer.pause()
        const waiting = yield* Effect.forkChild(token())
        yield* pause.arrived
        assert.strictEqual(unfinished(home), 1)
        yield* pause.release
        yield* Fiber.join(waiting)
        assert.strictEqual(unfinished(home), 0)
      })
    ))

  it.effect("before the server acted sends the same token once more and loses nothing", () =>
    withIssuer(({ login, token }, issuer, home) =>
      Effect.gen(function*() {
        yield* login()
        yield* TestClock.adjust("2 hours")
        const pause = issuer.pause()
        const waiting = yield* Effect.forkChild(token())
        yield* onDiskCopy(home, issuer, pause, (copy) =>
          Effect.gen(function*() {
            // The request of the dead process never got through.
            yield* Fiber.interrupt(waiting)
            issuer.behaviour = (_, normal) => Effect.sync(normal)
            yield* started(copy, issuer, (next) =>
              Effect.gen(function*() {
                assert.strictEqual(yield* next.token(), "at-1")
                assert.strictEqual(unfinished(copy), 0)
                assert.deepStrictEqual(issuer.refreshes.map(({ form }) => form["refresh_token"]), ["rt-0", "rt-0"])
              }))
          }))
      })
    ))

  it.effect("after the server acted and before the response was stored retries once, and the server decides", () =>
    withIssuer(({ login, token }, issuer, home) =>
      Effect.gen(function*() {
        yield* login()
        yield* TestClock.adjust("2 hours")
        let copy = ""
        // The server has rotated the token; the process dies before the response arrives.
        issuer.script((_, normal) =>
          Effect.sync(() => {
            const response = normal()
            copy = fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-crash-"))
            fs.cpSync(home, copy, { recursive: true })
            return response
          })
        )
        yield* token()
        assert.strictEqual(unfinished(copy), 1)
        yield* started(copy, issuer, (next) =>
          Effect.gen(function*() {
            assert.strictEqual((yield* Effect.flip(next.token()))._tag, "TokenExpiredError")
            assert.strictEqual((yield* next.record()).status, "expired")
            assert.strictEqual(unfinished(copy), 0)
          }))
        fs.rmSync(copy, { recursive: true, force: true })
        assert.lengthOf(issuer.refreshes, 2)
      })
    ))

  it.effect("after the response was stored keeps the new tokens and never sends the old one again", () =>
    withIssuer(({ login, token }, issuer, home) =>
      Effect.gen(function*() {
        yield* login()
        yield* TestClock.adjust("2 hours")
        yield* token()
        yield* afterCrash(home, issuer, (next) =>
          Effect.gen(function*() {
            assert.strictEqual(yield* next.token(), "at-1")
            yield* TestClock.adjust("2 hours")
            assert.strictEqual(yield* next.token(), "at-2")
          }))
        assert.deepStrictEqual(issuer.refreshes.map(({ form }) => form["refresh_token"]), ["rt-0", "rt-1"])
      })
    ))

  it.effect("retries at startup, before any caller asks and while the old access token is still valid", () =>
    withIssuer(({ login, token }, issuer, home) =>
      Effect.gen(function*() {
        yield* login()
        yield* TestClock.adjust("55 minutes")
        const pause = issuer.pause()
        yield* token()
        yield* onDiskCopy(home, issuer, pause, (copy) => {
          issuer.behaviour = (_, normal) => Effect.sync(normal)
          const again = issuer.pause()
          return started(copy, issuer, (next) =>
            Effect.gen(function*() {
              yield* again.arrived
              yield* again.release
              yield* TestClock.adjust("5 minutes")
              assert.strictEqual(yield* next.token(), "at-1")
            }))
        })
      })
    ))

  it.effect("retries at each start until the server is reached", () =>
    withIssuer(({ login, token }, issuer, home) =>
      Effect.gen(function*() {
        yield* login()
        yield* TestClock.adjust("55 minutes")
        const pause = issuer.pause()
        yield* token()
        yield* onDiskCopy(home, issuer, pause, (copy) =>
          Effect.gen(function*() {
            const tried = (reply: FakeIssuer["behaviour"]) => {
              issuer.behaviour = reply
              const again = issuer.pause()
              return started(copy, issuer, () => Effect.andThen(again.arrived, again.release))
            }
            yield* tried(() => Effect.fail(unreachable))
            assert.strictEqual(unfinished(copy), 1)
            yield* tried(() => Effect.succeed(answer(503, {})))
            assert.strictEqual(unfinished(copy), 1)
            yield* tried((_, normal) => Effect.sync(normal))
            assert.strictEqual(unfinished(copy), 0)
          }))
      })
    ))

  it.effect("withholds a token that could not be stored, keeps it, and stores it as soon as possible", () =>
    withIssuer(({ login, record, token, sql }, issuer) =>
      Effect.gen(function*() {
        yield* login()
        yield* TestClock.adjust("2 hours")
        yield* sql`CREATE TEMP TRIGGER full BEFORE UPDATE ON connections BEGIN SELECT RAISE(FAIL, 'disk full'); END`
        assert.strictEqual((yield* Effect.flip(token()))._tag, "VaultUnavailableError")
        assert.strictEqual((yield* Effect.flip(token()))._tag, "VaultUnavailableError")
        assert.lengthOf(issuer.refreshes, 1, "the refresh token is not sent again")
        yield* sql`DROP TRIGGER full`
        yield* TestClock.adjust("3 seconds")
        assert.isNotNull((yield* record()).lastRefreshAt)
        assert.strictEqual(yield* token(), "at-1")
        assert.lengthOf(issuer.refreshes, 1)
      })
    ))
})

describe("a response that was stored late", () => {
  it.effect("does not delete the journal entry of the refresh that followed it", () =>
    withIssuer(({ ask, login, sql, token }, issuer, home) =>
      Effect.gen(function*() {
        yield* login()
        yield* TestClock.adjust("2 hours")
        yield* sql`CREATE TEMP TRIGGER full BEFORE UPDATE ON connections BEGIN SELECT RAISE(FAIL, 'disk full'); END`
        yield* Effect.flip(token())
        yield* TestClock.adjust("1 second")
        yield* sql`DROP TRIGGER full`
        const { issuedAt } = yield* ask()
        const pause = issuer.pause()
        const waiting = yield* Effect.forkChild(token({ rejected: issuedAt! }))
        yield* pause.arrived
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual(unfinished(home), 1)
        yield* pause.release
        assert.strictEqual(yield* Fiber.join(waiting), "at-2")
        assert.strictEqual(unfinished(home), 0)
      })
    ))
})

describe("TokenRenewal with several processes", () => {
  const foreign = (home: string, deadline: number) =>
    tamper(
      home,
      `INSERT INTO token_refreshes SELECT record_id, generation, '1- other', '${
        new Date(deadline).toISOString()
      }' FROM connections`
    )

  it.effect("waits for the refresh of another process until its lease has expired, then refreshes itself", () =>
    withIssuer(({ login, token }, issuer, home) =>
      Effect.gen(function*() {
        yield* login()
        yield* TestClock.adjust("2 hours")
        foreign(home, 2 * 3_600_000 + 20_000)
        const waiting = yield* Effect.forkChild(token())
        yield* TestClock.adjust("19 seconds")
        assert.lengthOf(issuer.refreshes, 0)
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual(yield* Fiber.join(waiting), "at-1")
        assert.lengthOf(issuer.refreshes, 1)
      })
    ).pipe(Effect.provideService(SharedAccess, true)))

  it.effect("ignores a lease that lasts longer than one can", () =>
    withIssuer(({ login, token }, issuer, home) =>
      Effect.gen(function*() {
        yield* login()
        yield* TestClock.adjust("2 hours")
        foreign(home, 999 * 3_600_000)
        assert.strictEqual(yield* token(), "at-1")
        assert.lengthOf(issuer.refreshes, 1)
      })
    ).pipe(Effect.provideService(SharedAccess, true)))

  it.effect("uses the tokens that another process has stored instead of sending a used-up token", () =>
    withIssuer(({ login, token }, issuer, home) =>
      Effect.gen(function*() {
        yield* login()
        yield* TestClock.adjust("2 hours")
        const stale = yield* Effect.forkChild(token())
        yield* Fiber.join(stale)
        assert.strictEqual(yield* token(), "at-1")
        foreign(home, 0)
        assert.strictEqual(yield* token(), "at-1")
        assert.lengthOf(issuer.refreshes, 1)
      })
    ).pipe(Effect.provideService(SharedAccess, true)))
})
