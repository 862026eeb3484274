/**
 * The port through which this room reaches the network: one request, one answer, nothing in between.
 *
 * An implementation enforces https (or what `Reach` adds), verified certificates, addresses that are checked once
 * and then dialled, no redirect followed, at most a mebibyte and ten seconds, and nothing taken from the environment. An
 * interrupted request leaves no connection behind.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { OAuthUnavailable, OAuthUnsafe } from "./OAuthErrors.ts"

/** Which addresses a request may go to, beyond public ones over https. */
export interface Reach {
  /** Literal loopback over http or https: only for what a person registered with `--allow-insecure-loopback`. */
  readonly allowLoopback: boolean
  /** Nothing but public addresses, whatever the configuration allows: for what a public server named. */
  readonly publicOnly: boolean
}

export interface OAuthRequest {
  readonly method: "DELETE" | "GET" | "POST"
  readonly url: string
  /** In lower case; without `authorization`, `host` and `content-length`. */
  readonly headers: Readonly<Record<string, string>>
  readonly authorization?: Redacted.Redacted<string>
  readonly body?: Redacted.Redacted<string>
}

export interface OAuthResponse {
  /** A redirect is an answer like any other. */
  readonly status: number
  /** In lower case; lines of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Decoded as UTF-8. */
  readonly body: Redacted.Redacted<string>
  /** Whether the peer has a public address, or is reached by a proxy that does not tell. */
  readonly publicPeer: boolean
}

export class OAuthHttp extends Context.Service<OAuthHttp, {
  readonly request: (
    reach: Reach,
    request: OAuthRequest
  ) => Effect.Effect<OAuthResponse, OAuthUnavailable | OAuthUnsafe>
}>()("credsvc/oauth/OAuthHttp") {}
