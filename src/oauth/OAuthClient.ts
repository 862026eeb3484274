/** A client at an authorization server, and the requests that it authenticates (RFC 6749 section 2.3.1). */
import * as Redacted from "effect/Redacted"
import type { OAuthRequest } from "./OAuthHttp.ts"

export type ClientAuthentication = "client_secret_basic" | "client_secret_post" | "none"

export interface OAuthClient {
  readonly clientId: string
  /** The client secret. With `client_secret_basic`, a missing secret is sent as an empty one. */
  readonly clientSecret?: Redacted.Redacted<string> | undefined
  readonly authentication: ClientAuthentication
}

/** Lists the secrets in a request by the client, which no error may repeat. */
export const secretsOf = (
  client: OAuthClient,
  ...secrets: ReadonlyArray<Redacted.Redacted<string> | undefined>
): ReadonlyArray<Redacted.Redacted<string>> =>
  [client.clientSecret, ...secrets].filter((secret) => secret !== undefined)

/** Escapes as little as RFC 6749 section 2.3.1 allows, so that servers that do not decode accept common IDs and secrets. */
const formEncoded = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll("%20", "+")

/** Whether Basic authentication works only if the server decodes the ID and the secret. */
export const isEncodedInHeader = (
  { clientId, clientSecret }: Pick<OAuthClient, "clientId" | "clientSecret">
): boolean =>
  [clientId, clientSecret === undefined ? "" : Redacted.value(clientSecret)].some((text) => formEncoded(text) !== text)

/** The parameters of a request. Undefined ones are not sent. */
export type Parameters = Readonly<Record<string, Redacted.Redacted<string> | string | undefined>>

export const formParameters = (values: Parameters): URLSearchParams => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) parameters.set(name, Redacted.isRedacted(value) ? Redacted.value(value) : value)
  }
  return parameters
}

/** The form in which a server expects requests with parameters. */
export interface RequestStyle {
  readonly format: "form" | "json"
  /** Maps parameter names of RFC 6749 to the server's own. */
  readonly names?: ParameterNames
  /** The `User-Agent` field, if not that of credsvc. */
  readonly userAgent?: string | undefined
}

export type ParameterNames = Readonly<Record<string, string>>

export const withServerNames = <A>(parameters: Readonly<Record<string, A>>, names: ParameterNames): Record<string, A> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [Object.hasOwn(names, name) ? names[name]! : name, value])
  )

/** Builds a request with these parameters, which the client authenticates. Without a client, only the parameters are sent. */
export const parameterRequest = (
  url: string,
  client: OAuthClient | undefined,
  parameters: Parameters,
  { format, names = {}, userAgent }: RequestStyle = { format: "form" }
): OAuthRequest => {
  const isBasic = client?.authentication === "client_secret_basic"
  const secret = client?.clientSecret === undefined ? "" : Redacted.value(client.clientSecret)
  const own = client === undefined || isBasic ? {} : {
    client_id: client.clientId,
    ...(client.authentication === "client_secret_post" && secret !== "" ? { client_secret: secret } : {})
  }
  const form = formParameters(withServerNames({ ...parameters, ...own }, names))
  const isJson = format === "json"
  return {
    method: "POST",
    url,
    headers: {
      accept: "application/json",
      "content-type": isJson ? "application/json" : "application/x-www-form-urlencoded",
      ...(userAgent === undefined ? {} : { "user-agent": userAgent })
    },
    ...(isBasic
      ? { authorization: Redacted.make(`Basic ${btoa(`${formEncoded(client.clientId)}:${formEncoded(secret)}`)}`) }
      : {}),
    body: Redacted.make(isJson ? JSON.stringify(Object.fromEntries(form)) : form.toString())
  }
}
