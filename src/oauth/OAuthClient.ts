/** The client at an authorization server and its authentication (RFC 6749 section 2.3.1). */
import * as Redacted from "effect/Redacted"

export type ClientAuthentication = "client_secret_basic" | "client_secret_post" | "none"

export interface OAuthClient {
  readonly clientId: string
  /** With `client_secret_basic`, an absent secret is sent as an empty one. */
  readonly clientSecret?: Redacted.Redacted<string>
  readonly authentication: ClientAuthentication
}

/** Escapes as little as section 2.3.1 allows: servers that forget to decode still accept common IDs and secrets. */
const formEncoded = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll("%20", "+")

/** Adds the client's authentication to a request, as `oauth4webapi` asks for it. */
type Authenticate = (server: unknown, client: unknown, body: URLSearchParams, headers: Headers) => void

export const authenticate = (client: OAuthClient): Authenticate => (_server, _metadata, body, headers) => {
  const secret = client.clientSecret === undefined ? "" : Redacted.value(client.clientSecret)
  if (client.authentication === "client_secret_basic") {
    headers.set("authorization", `Basic ${btoa(`${formEncoded(client.clientId)}:${formEncoded(secret)}`)}`)
    return
  }
  body.set("client_id", client.clientId)
  if (client.authentication === "client_secret_post" && secret !== "") body.set("client_secret", secret)
}
