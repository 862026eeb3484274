/**
 * Form tokens, each valid for one submission. The MAC needs no stored state until a token is used, so tokens survive a
 * restart.
 */
import { builtins, type KeyObject } from "../../platform/builtins.ts"
import { isSameSecret } from "../../platform/Digest.ts"

export const tokenPurpose = "credsvc/form-token/v1"

const macOf = (key: KeyObject, session: string, nonce: string): Buffer =>
  builtins.crypto.createHmac("sha256", key).update(`${session}\n${nonce}`).digest()

/** `session` is the hash of the session ID. */
export const issueToken = (key: KeyObject, session: string): string => {
  const nonce = builtins.crypto.randomBytes(16).toString("base64url")
  return `${nonce}.${macOf(key, session, nonce).toString("base64url")}`
}

/** The nonce to record once the token is used; undefined if the token does not belong to the session. */
export const nonceOf = (key: KeyObject, session: string, token: string): string | undefined => {
  const [nonce = "", mac = ""] = token.split(".")
  const expected = macOf(key, session, nonce)
  const given = Buffer.from(mac, "base64url")
  return nonce.length === 22 && isSameSecret(given, expected)
    ? nonce
    : undefined
}
