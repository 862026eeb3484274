/**
 * An authorization server without a network that rotates refresh tokens and ends the grant when one is used twice. It
 * can be told to fail, to hang and to lose responses.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { OAuthUnavailable } from "../../src/oauth/OAuthErrors.ts"
import * as FakeOAuthHttp from "./FakeOAuthHttp.ts"

export const unreachable = new OAuthUnavailable({
  reason: "unreachable",
  detail: "login.acme.example cannot be reached",
  sent: false
})

export const lost = new OAuthUnavailable({
  reason: "timeout",
  detail: "login.acme.example did not respond in time",
  sent: true
})

/** `normal` handles the request as the server would. */
export type Behavior = (request: FakeOAuthHttp.Sent, normal: () => FakeOAuthHttp.Reply) => FakeOAuthHttp.Outcome

export class FakeIssuer {
  /** The valid refresh token. Undefined when the grant has ended. */
  refreshToken: string | undefined = "rt-0"
  rotates = true
  expiresIn: number | undefined = 3600
  /** The number of issued access tokens. */
  issued = 0
  /** Replaces the server's response. */
  behavior: Behavior = (_, normal) => normal()

  readonly #http = FakeOAuthHttp.make((request) =>
    Effect.map(
      FakeOAuthHttp.replied(this.behavior(request, () => this.#respond(request))),
      (reply) => ({ publicPeer: true, ...reply })
    )
  )
  readonly layer = this.#http.layer
  readonly sent = this.#http.sent

  /** Requests to the token endpoint. */
  get refreshes(): ReadonlyArray<FakeOAuthHttp.Sent> {
    return this.sent.filter(({ url }) => url.endsWith("/token"))
  }

  /** The refresh tokens that were sent to the token endpoint, in order. */
  get spent(): ReadonlyArray<string | undefined> {
    return this.refreshes.map(({ fields }) => fields["refresh_token"])
  }

  /** Scripts the next response; later requests are handled as before. */
  once(behavior: Behavior): void {
    const before = this.behavior
    this.behavior = (request, normal) => {
      this.behavior = before
      return behavior(request, normal)
    }
  }

  /**
   * Holds back every response from now on, before the server acts or after. The first effect succeeds when a request has
   * arrived, the second releases all of them.
   */
  pause(when: "after" | "before" = "before") {
    const arrived = Deferred.makeUnsafe<void>()
    const release = Deferred.makeUnsafe<void>()
    const before = this.behavior
    this.behavior = (request, normal) => {
      const outcome = when === "after" ? before(request, normal) : undefined
      return Deferred.succeed(arrived, undefined).pipe(
        Effect.andThen(Deferred.await(release)),
        Effect.flatMap(() => FakeOAuthHttp.replied(outcome ?? before(request, normal)))
      )
    }
    return {
      // Limited in real time, because the services do work before a request, during which the test's clock stands still.
      arrived: Effect.timeoutOrElse(Deferred.await(arrived), {
        duration: "20 seconds",
        orElse: () => Effect.die(new Error("no request arrived at the issuer"))
      }).pipe(TestClock.withLive),
      release: Effect.suspend(() => {
        this.behavior = before
        return Deferred.succeed(release, undefined)
      })
    }
  }

  /** Starts the effect, waits for its request, and holds back the response. `finish` responds and awaits the effect. */
  hold<A, E, R>(effect: Effect.Effect<A, E, R>, when: "after" | "before" = "before") {
    const pause = this.pause(when)
    return Effect.map(
      Effect.tap(Effect.forkChild(effect), pause.arrived),
      (fiber) => ({ fiber, respond: pause.release, finish: Effect.andThen(pause.release, Fiber.join(fiber)) })
    )
  }

  #respond({ fields, method, url }: FakeOAuthHttp.Sent): FakeOAuthHttp.Reply {
    if (method === "DELETE") return { status: 204 }
    if (url.endsWith("/revoke")) {
      if (fields["token"] === this.refreshToken) this.refreshToken = undefined
      return {}
    }
    if (!url.endsWith("/token")) return { status: 404 }
    if (this.refreshToken === undefined || fields["refresh_token"] !== this.refreshToken) {
      // A refresh token that was used before may be stolen, so the grant ends for everyone.
      this.refreshToken = undefined
      return { status: 400, body: { error: "invalid_grant" } }
    }
    this.issued++
    if (this.rotates) this.refreshToken = `rt-${this.issued}`
    return {
      body: {
        access_token: `at-${this.issued}`,
        token_type: "Bearer",
        ...(this.expiresIn === undefined ? {} : { expires_in: this.expiresIn }),
        ...(this.rotates ? { refresh_token: this.refreshToken } : {})
      }
    }
  }
}
