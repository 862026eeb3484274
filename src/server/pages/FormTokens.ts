/**
 * Tokens of the dashboard's forms. Only a page that this daemon served within the last hour contains a valid one.
 *
 * The guard already rejects forms from other sites. The tokens protect browsers that send no information about a
 * form's origin. The form of a login has a single-use token of its session instead.
 */
import { sameProof } from "../../config/AccessKey.ts"
import { builtins } from "../../platform/builtins.ts"

export interface FormTokens {
  readonly issue: (action: string) => string
  readonly accepts: (action: string, token: string) => boolean
}

const lifetime = 60 * 60 * 1000

export const makeFormTokens = (now: () => number = Date.now): FormTokens => {
  const key = builtins.crypto.createSecretKey(builtins.crypto.randomBytes(32))
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
