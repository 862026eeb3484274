/**
 * The interface through which this room reaches the network: one request, one response.
 *
 * An implementation enforces https (or what `Reach` adds), verified certificates, connections only to the checked
 * addresses, and limits of one mebibyte and ten seconds. It follows no redirects and ignores the environment. An
 * interrupted request leaves no connection behind.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { OAuthUnavailable, OAuthUnsafe } from "./OAuthErrors.ts"

/** Which addresses a request may reach. By default, these are public ones over https, and private ones that the settings allow. */
export interface Reach {
  /** Allows literal loopback addresses over http or https: only for definitions registered with `--allow-insecure-loopback`. */
  readonly allowLoopback: boolean
  /** Allows only public addresses, whatever the settings: for URLs that a public server named. */
  readonly publicOnly: boolean
}

export interface OAuthRequest {
  readonly method: "DELETE" | "GET" | "POST"
  readonly url: string
  /** The header fields by lower-case name. Must not contain `authorization`, `host` or `content-length`. */
  readonly headers: Readonly<Record<string, string>>
  readonly authorization?: Redacted.Redacted<string>
  readonly body?: Redacted.Redacted<string>
  /** Multiplies the usual time limit for the response. */
  readonly patience?: number
}

export interface OAuthResponse {
  /** The status, which may be that of a redirect, because redirects are not followed. */
  readonly status: number
  /** The header fields by lower-case name. Field lines with the same name are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** The body, decoded as UTF-8. */
  readonly body: Redacted.Redacted<string>
  /** Whether the peer has a public address, or is behind a proxy that hides the peer's address. */
  readonly publicPeer: boolean
}

export class OAuthHttp extends Context.Service<OAuthHttp, {
  readonly request: (
    reach: Reach,
    request: OAuthRequest
  ) => Effect.Effect<OAuthResponse, OAuthUnavailable | OAuthUnsafe>
}>()("credsvc/oauth/OAuthHttp") {}
