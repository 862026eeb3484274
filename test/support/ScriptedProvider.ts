/** An authorization server without a network that responds by URL and records the fields of requests. */
import type * as Layer from "effect/Layer"
import { OAuthUnavailable } from "../../src/oauth/OAuthErrors.ts"
import type { OAuthHttp, Reach } from "../../src/oauth/OAuthHttp.ts"
import * as FakeOAuthHttp from "./FakeOAuthHttp.ts"

export interface Seen {
  readonly method: string
  readonly url: string
  readonly authorization: string | undefined
  /** The fields of a form or of a JSON object. */
  readonly fields: Readonly<Record<string, string>>
  readonly reach: Reach
}

export type Reply = FakeOAuthHttp.Reply

export type Script = Readonly<Record<string, Reply | ((seen: Seen, count: number) => Reply)>>

const fieldsOf = ({ body, headers }: FakeOAuthHttp.Sent): Readonly<Record<string, string>> =>
  headers["content-type"]?.startsWith("application/json") === true
    ? JSON.parse(body) as Record<string, string>
    : Object.fromEntries(new URLSearchParams(body))

/** Responds with 404 to unscripted requests. */
export const scriptedProvider = (script: Script) => {
  const seen: Array<Seen> = []
  const at = (url: string) => seen.filter((request) => request.url === url)
  const { layer } = FakeOAuthHttp.make((sent) => {
    const { authorization, method, reach, url } = sent
    const own: Seen = { method, url, authorization, reach, fields: fieldsOf(sent) }
    seen.push(own)
    const rule = script[url] ?? { status: 404, body: { error: "not_found" } }
    return typeof rule === "function" ? rule(own, at(url).length) : rule
  })
  return { seen, at, layer }
}

/** For tests that do not involve it. */
export const noProvider: Layer.Layer<OAuthHttp> =
  FakeOAuthHttp.make(() =>
    new OAuthUnavailable({ reason: "unreachable", detail: "there is no network here", sent: false })
  ).layer
