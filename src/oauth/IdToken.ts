/**
 * ID tokens (OpenID Connect Core section 2), for display only. Their signature is not verified: no decision
 * depends on them, and they came directly from the token endpoint over verified TLS (section 3.1.3.7, step 6).
 */
import * as Predicate from "effect/Predicate"
import { type AuthorizationServer, isIssuer } from "./AuthorizationServer.ts"
import { type JsonObject, plainText } from "./ServerValues.ts"

/** The claims of a JSON Web Token, or undefined for another text. */
export const claimsOf = (token: string): JsonObject | undefined => {
  const parts = token.split(".")
  if (parts.length !== 3 || token.length > 16_384) return undefined
  try {
    const bytes = Uint8Array.from(atob(parts[1]!.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
    return Predicate.isObject(claims) ? claims : undefined
  } catch {
    return undefined
  }
}

export const read = (token: unknown, server: AuthorizationServer, clientId: string) => {
  const claims = typeof token === "string" ? claimsOf(token) : undefined
  if (claims === undefined) return undefined
  const { aud, exp, iss, sub } = claims
  const audience = Array.isArray(aud) ? aud : [aud]
  if (typeof iss !== "string" || typeof sub !== "string" || typeof exp !== "number") return undefined
  if (!audience.includes(clientId) || (server.issuerKnown && !isIssuer(iss, server))) return undefined
  const id = plainText(sub)
  if (id === undefined || plainText(iss) !== iss) return undefined
  const label = [claims["email"], claims["preferred_username"], claims["name"]].map(plainText).find(Boolean)
  return { iss, sub: id, label: label ?? null }
}
