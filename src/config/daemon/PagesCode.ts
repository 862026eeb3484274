/** The code by which `credsvc ui` opens the pages of a daemon that others can reach, in the browser of its user. */
import { isSameSecret, randomId } from "../../platform/Digest.ts"
import { isRecent, mac } from "./AccessKey.ts"

/** The path at which a browser gets the cookie for the pages of a daemon that others can reach. */
export const enterPath = "/ui/enter"

export const pagesCodeMillis = 60_000

const pagesMac = (key: Uint8Array, time: number, nonce: string): string =>
  mac(key, `credsvc/pages/v1\n${time}\n${nonce}`)

/** A code for `enterPath`: the time in Unix milliseconds, a random number and a MAC over both. */
export const pagesCode = (key: Uint8Array, now: number): string => {
  const nonce = randomId()
  return `${now}.${nonce}.${pagesMac(key, now, nonce)}`
}

/** Whether a code is recent and made with this key. The caller must accept each code only once. */
export const isPagesCode = (
  key: Uint8Array,
  code: string,
  clock: { readonly now: number; readonly startedAt: number }
): boolean => {
  const [, text = "", nonce = "", proof = ""] = /^([1-9]\d{0,14})\.([0-9a-f]{32})\.([0-9a-f]{64})$/.exec(code) ?? []
  const time = Number(text)
  return proof !== "" && isRecent(time, pagesCodeMillis, clock) && isSameSecret(proof, pagesMac(key, time, nonce))
}
