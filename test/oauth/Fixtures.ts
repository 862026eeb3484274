/** The server and the client of these tests. */
import * as Redacted from "effect/Redacted"
import type { AuthorizationServer } from "../../src/oauth/AuthorizationServer.ts"
import type { OAuthClient } from "../../src/oauth/OAuthClient.ts"

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

/** An unsigned identity token. */
export const idToken = (claims: object): string =>
  ["{}", JSON.stringify(claims), "signature"].map((part) => Buffer.from(part).toString("base64url")).join(".")
