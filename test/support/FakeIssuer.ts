/**
 * An authorization server behind the port of the `oauth` room, without a network. It rotates refresh tokens, ends the
 * grant when one is used twice, and can be told to fail, to hang and to lose responses.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { OAuthUnavailable } from "../../src/oauth/OAuthErrors.ts"
import { OAuthHttp, type OAuthRequest, type OAuthResponse } from "../../src/oauth/OAuthHttp.ts"

export const answer = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
): OAuthResponse => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: Redacted.make(typeof body === "string" ? body : JSON.stringify(body)),
  publicPeer: true
})

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

export interface Seen {
  readonly method: string
  readonly url: string
  readonly form: Readonly<Record<string, string>>
  readonly authorization: string | undefined
}

type Behaviour = (seen: Seen, normal: () => OAuthResponse) => Effect.Effect<OAuthResponse, OAuthUnavailable>

export class FakeIssuer {
  readonly seen: Array<Seen> = []
  /** The valid refresh token. Undefined when the grant has ended. */
  refreshToken: string | undefined
  rotates = true
  expiresIn: number | undefined = 3600
  /** The issued tokens and their state. */
  issued = 0
  /** Replaces the server's response. */
  behaviour: Behaviour = (_, normal) => Effect.sync(normal)

  constructor(refreshToken = "rt-0") {
    this.refreshToken = refreshToken
  }

  readonly layer = Layer.succeed(OAuthHttp, OAuthHttp.of({ request: (_, request) => this.#request(request) }))

  /** Requests to the token endpoint. */
  get refreshes(): ReadonlyArray<Seen> {
    return this.seen.filter(({ url }) => url.endsWith("/token"))
  }

  /** Scripts the next responses, one by one; later requests are handled normally. */
  script(...answers: ReadonlyArray<Behaviour>): void {
    const rest = [...answers]
    const before = this.behaviour
    this.behaviour = (seen, normal) => (rest.shift() ?? before)(seen, normal)
  }

  /**
   * Holds back every response from now on. The first effect succeeds when a request has arrived, the second releases
   * all of them.
   */
  pause() {
    const arrived = Deferred.makeUnsafe<void>()
    const release = Deferred.makeUnsafe<void>()
    const before = this.behaviour
    this.behaviour = (seen, normal) =>
      Deferred.succeed(arrived, undefined).pipe(
        Effect.andThen(Deferred.await(release)),
        Effect.andThen(Effect.suspend(() => before(seen, normal)))
      )
    return {
      arrived: Deferred.await(arrived),
      release: Effect.suspend(() => {
        this.behaviour = before
        return Deferred.succeed(release, undefined)
      })
    }
  }

  #request(request: OAuthRequest): Effect.Effect<OAuthResponse, OAuthUnavailable> {
    return Effect.suspend(() => {
      const seen: Seen = {
        method: request.method,
        url: request.url,
        form: request.body === undefined
          ? {}
          : Object.fromEntries(new URLSearchParams(Redacted.value(request.body))),
        authorization: request.authorization === undefined ? undefined : Redacted.value(request.authorization)
      }
      this.seen.push(seen)
      return this.behaviour(seen, () => this.#answer(seen))
    })
  }

  #answer({ form, method, url }: Seen): OAuthResponse {
    if (method === "DELETE") return answer(204, "")
    if (url.endsWith("/revoke")) {
      if (form["token"] === this.refreshToken) this.refreshToken = undefined
      return answer(200, "")
    }
    if (!url.endsWith("/token")) return answer(404, {})
    if (this.refreshToken === undefined || form["refresh_token"] !== this.refreshToken) {
      // A refresh token that was used before may be stolen, so the grant ends for everyone.
      this.refreshToken = undefined
      return answer(400, { error: "invalid_grant" })
    }
    this.issued++
    if (this.rotates) this.refreshToken = `rt-${this.issued}`
    return answer(200, {
      access_token: `at-${this.issued}`,
      token_type: "Bearer",
      ...(this.expiresIn === undefined ? {} : { expires_in: this.expiresIn }),
      ...(this.rotates ? { refresh_token: this.refreshToken } : {})
    })
  }
}
