/**
 * The tokens of a login's form, each good for one submission.
 *
 * A token needs no memory until it is used: it vouches for itself, and survives a restart.
 */
import { builtins, type KeyObject } from "../platform/builtins.ts"

export const tokenPurpose = "credsvc/form-token/v1"

const macOf = (key: KeyObject, session: string, nonce: string): Buffer =>
  builtins.crypto.createHmac("sha256", key).update(`${session}\n${nonce}`).digest()

/** `session` is the hash of a session's id. */
export const issueToken = (key: KeyObject, session: string): string => {
  const nonce = builtins.crypto.randomBytes(16).toString("base64url")
  return `${nonce}.${macOf(key, session, nonce).toString("base64url")}`
}

/** What to remember of a token once it is used; undefined for one that is not of the session. */
export const nonceOf = (key: KeyObject, session: string, token: string): string | undefined => {
  const [nonce = "", mac = ""] = token.split(".")
  const expected = macOf(key, session, nonce)
  const given = Buffer.from(mac, "base64url")
  return nonce.length === 22 && given.length === expected.length && builtins.crypto.timingSafeEqual(given, expected)
    ? nonce
    : undefined
}
