/**
 * Form tokens, each of which is valid for one submission. A MAC authenticates them, so only used tokens are stored, and
 * tokens survive a restart.
 */
import { builtins, type KeyObject } from "../../platform/builtins.ts"
import { isSameSecret } from "../../platform/Digest.ts"

export const tokenPurpose = "credsvc/form-token/v1"

const macOf = (key: KeyObject, session: string, nonce: string): Buffer =>
  builtins.crypto.createHmac("sha256", key).update(`${session}\n${nonce}`).digest()

/** Creates a token. `session` is the hash of the session ID. */
export const issueToken = (key: KeyObject, session: string): string => {
  const nonce = builtins.crypto.randomBytes(16).toString("base64url")
  return `${nonce}.${macOf(key, session, nonce).toString("base64url")}`
}

/** Returns the nonce to record when the token is used, or undefined if the token does not belong to the session. */
export const nonceOf = (key: KeyObject, session: string, token: string): string | undefined => {
  const [nonce = "", mac = ""] = token.split(".")
  const expected = macOf(key, session, nonce)
  const given = Buffer.from(mac, "base64url")
  return nonce.length === 22 && isSameSecret(given, expected)
    ? nonce
    : undefined
}
