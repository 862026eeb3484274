/** The HTTP port of `src/oauth` with scripted responses and no network. It records requests in clear text. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { OAuthUnavailable, type OAuthUnsafe } from "../../src/oauth/OAuthErrors.ts"
import { OAuthHttp, type Reach } from "../../src/oauth/OAuthHttp.ts"

export interface Sent {
  readonly reach: Reach
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly authorization: string | undefined
  readonly body: string
  /** The fields of a form or of a JSON object. */
  readonly fields: Readonly<Record<string, string>>
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Objects are sent as JSON. */
  readonly body?: object | string
  readonly publicPeer?: boolean
}

/** A failure is an effect, too. */
export type Outcome = Reply | Effect.Effect<Reply, OAuthUnavailable | OAuthUnsafe>

const fieldsOf = (headers: Sent["headers"], body: string): Readonly<Record<string, string>> =>
  headers["content-type"]?.startsWith("application/json") === true
    ? JSON.parse(body) as Record<string, string>
    : Object.fromEntries(new URLSearchParams(body))

/** Gives a scripted outcome the form of an effect. */
export const replied = (outcome: Outcome) => Effect.isEffect(outcome) ? outcome : Effect.succeed(outcome)

const responseOf = ({ body = "", headers = {}, publicPeer = false, status = 200 }: Reply) => ({
  status,
  headers: { ...(typeof body === "string" ? {} : { "content-type": "application/json" }), ...headers },
  body: Redacted.make(typeof body === "string" ? body : JSON.stringify(body)),
  publicPeer
})

export const make = (script: (request: Sent) => Outcome) => {
  const sent: Array<Sent> = []
  const layer = Layer.succeed(OAuthHttp, {
    request: (reach, { authorization, body: redacted, headers, method, url }) =>
      Effect.suspend(() => {
        const body = redacted === undefined ? "" : Redacted.value(redacted)
        const request: Sent = {
          reach,
          method,
          url,
          headers,
          authorization: authorization && Redacted.value(authorization),
          body,
          fields: fieldsOf(headers, body)
        }
        sent.push(request)
        return Effect.map(replied(script(request)), responseOf)
      })
  })
  /** The requests to this URL. */
  const at = (url: string) => sent.filter((request) => request.url === url)
  return { layer, sent, at }
}

export type FakeOAuthHttp = ReturnType<typeof make>

/** Responds to every request in the same way. */
export const always = (outcome: Outcome) => make(() => outcome)

/** Responses by URL; a function gets the number of the request to its URL, from 1. */
export type Script = Readonly<Record<string, Outcome | ((request: Sent, count: number) => Outcome)>>

/** Responds with 404 to unscripted requests. */
export const scripted = (script: Script): FakeOAuthHttp => {
  const http = make((request) => {
    const rule = script[request.url] ?? { status: 404 }
    return typeof rule === "function" ? rule(request, http.at(request.url).length) : rule
  })
  return http
}

/** An HTTP port that reaches no server, for tests that involve no authorization server. */
export const noNetwork: Layer.Layer<OAuthHttp> =
  always(new OAuthUnavailable({ reason: "unreachable", detail: "there is no network here", sent: false })).layer

/** The port as in a process that is suspended for this long between each request and its response. */
export const suspended = (http: Pick<FakeOAuthHttp, "layer">, duration: Duration.Input): Layer.Layer<OAuthHttp> =>
  Layer.effect(
    OAuthHttp,
    Effect.map(OAuthHttp, ({ request }) => ({
      request: (reach, sent) => Effect.tap(request(reach, sent), () => TestClock.adjust(duration))
    }))
  ).pipe(Layer.provide(http.layer))
