/** The server and the client of these tests. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { AuthorizationServer } from "../../src/oauth/AuthorizationServer.ts"
import type { OAuthClient } from "../../src/oauth/OAuthClient.ts"
import type { OAuthError } from "../../src/oauth/OAuthErrors.ts"

export const server: AuthorizationServer = {
  issuer: "https://as.example",
  issuerKnown: true,
  authorizationEndpoint: "https://as.example/authorize",
  tokenEndpoint: "https://as.example/token",
  deviceAuthorizationEndpoint: "https://as.example/device",
  revocationEndpoint: "https://as.example/revoke",
  registrationEndpoint: "https://as.example/register",
  requirePushedAuthorizationRequests: false,
  issParameterSupported: false,
  clientIdMetadataDocumentSupported: false,
  reach: { allowLoopback: false, publicOnly: false }
}

export const publicClient: OAuthClient = { clientId: "client-1", authentication: "none" }

export const secret = "s3cret-of-the-client"
export const confidentialClient: OAuthClient = {
  clientId: "client-1",
  clientSecret: Redacted.make(secret),
  authentication: "client_secret_post"
}

/** An unsigned ID token. */
export const idToken = (claims: object): string =>
  ["{}", JSON.stringify(claims), "signature"].map((part) => Buffer.from(part).toString("base64url")).join(".")

/** The error code of a failed request, or the tag of a failure without one. */
export const errorOf = <A, R>(effect: Effect.Effect<A, OAuthError, R>) =>
  Effect.map(Effect.flip(effect), (error): string => error._tag === "OAuthRejected" ? error.error : error._tag)
