/** The HTTP port of `src/oauth` with scripted responses and no network. It records requests in clear text. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type { OAuthUnavailable, OAuthUnsafe } from "../../src/oauth/OAuthErrors.ts"
import { OAuthHttp, type Reach } from "../../src/oauth/OAuthHttp.ts"

export interface Sent {
  readonly reach: Reach
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly authorization: string | undefined
  readonly body: string
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Objects are sent as JSON. */
  readonly body?: object | string
  readonly publicPeer?: boolean
}

export interface FakeOAuthHttp {
  readonly layer: Layer.Layer<OAuthHttp>
  readonly sent: Array<Sent>
}

export type Script = (request: Sent) => Reply | OAuthUnavailable | OAuthUnsafe

export const make = (script: Script): FakeOAuthHttp => {
  const sent: Array<Sent> = []
  const layer = Layer.succeed(OAuthHttp, {
    request: (reach, request) =>
      Effect.suspend(() => {
        const seen: Sent = {
          reach,
          method: request.method,
          url: request.url,
          headers: request.headers,
          authorization: request.authorization === undefined ? undefined : Redacted.value(request.authorization),
          body: request.body === undefined ? "" : Redacted.value(request.body)
        }
        sent.push(seen)
        const reply = script(seen)
        if ("_tag" in reply) return Effect.fail(reply)
        const { body = "", headers = {}, publicPeer = false, status = 200 } = reply
        return Effect.succeed({
          status,
          headers: { ...(typeof body === "string" ? {} : { "content-type": "application/json" }), ...headers },
          body: Redacted.make(typeof body === "string" ? body : JSON.stringify(body)),
          publicPeer
        })
      })
  })
  return { layer, sent }
}

/** The same port, in a process that is suspended for this long between each request and its response. */
export const suspended = (http: Pick<FakeOAuthHttp, "layer">, duration: Duration.Input): Layer.Layer<OAuthHttp> =>
  Layer.effect(
    OAuthHttp,
    Effect.map(OAuthHttp, ({ request }) => ({
      request: (reach, sent) => Effect.tap(request(reach, sent), () => TestClock.adjust(duration))
    }))
  ).pipe(Layer.provide(http.layer))

/** Responds to every request in the same way. */
export const always = (reply: ReturnType<Script>): FakeOAuthHttp => make(() => reply)
