/** Proof Key for Code Exchange (RFC 7636) with S256. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { builtins } from "../platform/builtins.ts"
import type { AuthorizationServer } from "./AuthorizationServer.ts"
import { lackingError, type OAuthUnsafe, unsafeError } from "./OAuthErrors.ts"

/** A verifier or a `state`: 32 random bytes in base64url. */
export const randomValue: Effect.Effect<Redacted.Redacted<string>> = Effect.sync(() =>
  Redacted.make(builtins.crypto.randomBytes(32).toString("base64url"))
)

/** Computes the code challenge (RFC 7636 section 4.2). TikTok expects the hash in hexadecimal instead of base64url. */
export const challenge = (
  verifier: Redacted.Redacted<string>,
  encoding: "base64url" | "hex" = "base64url"
): Effect.Effect<string> =>
  Effect.sync(() => builtins.crypto.createHash("sha256").update(Redacted.value(verifier)).digest(encoding))

/**
 * Fails if the metadata lists methods without S256 or, with `listed`, if it lists none: a server without PKCE would silently ignore
 * the challenge. `listed` is for discovered servers.
 */
export const requireS256 = (
  server: AuthorizationServer,
  options: { readonly listed: boolean }
): Effect.Effect<void, OAuthUnsafe> => {
  const methods = server.codeChallengeMethods
  if (methods === undefined ? !options.listed : methods.includes("S256")) return Effect.void
  return Effect.fail(
    methods === undefined
      ? lackingError("pkce", `${server.issuer} does not announce PKCE with S256, without which a code could be stolen`)
      : unsafeError(`${server.issuer} does not support PKCE with S256, without which a code could be stolen`)
  )
}
