/**
 * Tokens of the dashboard's forms. Only a page that a daemon of this store served within the last hour contains a valid
 * one.
 *
 * The guard already rejects forms from other sites. The tokens protect browsers that send no information about a
 * form's origin. The form of a login has a single-use token of its session instead.
 */
import { sameProof } from "../../config/AccessKey.ts"
import { builtins, type KeyObject } from "../../platform/builtins.ts"

export interface FormTokens {
  readonly issue: (action: string) => string
  readonly accepts: (action: string, token: string) => boolean
}

const lifetime = 60 * 60 * 1000

/** The purpose of the store's key, so that another daemon of the store accepts a form, and this one after a restart. */
export const formTokenPurpose = "credsvc/dashboard-form/v1"

export const makeFormTokens = (key: KeyObject, now: () => number = Date.now): FormTokens => {
  const sign = (action: string, expires: number): string =>
    builtins.crypto.createHmac("sha256", key).update(`credsvc/form/v1\n${action}\n${expires}`).digest("base64url")
  return {
    issue: (action) => {
      const expires = now() + lifetime
      return `${expires}.${sign(action, expires)}`
    },
    accepts: (action, token) => {
      const match = /^(\d{1,16})\.([A-Za-z0-9_-]{43})$/.exec(token)
      if (match === null) return false
      const expires = Number(match[1])
      return expires > now() && sameProof(match[2] ?? "", sign(action, expires))
    }
  }
}
