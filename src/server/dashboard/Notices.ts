/**
 * What a page is to say once, after a form was sent and the browser was led on: kept here under a random name, so that no
 * link can make a page say anything.
 */
import { builtins } from "../../platform/builtins.ts"
import type { Html } from "../pages/Html.ts"

export interface Notices {
  readonly put: (notice: Html) => string
  /** The notice, the first time that it is asked for. */
  readonly take: (name: string) => Html | undefined
}

/** More than a person can look at; the oldest go first. */
const maxNotices = 64

export const makeNotices = (): Notices => {
  const notices = new Map<string, Html>()
  return {
    put: (notice) => {
      const [oldest] = notices.keys()
      if (notices.size >= maxNotices && oldest !== undefined) notices.delete(oldest)
      const name = builtins.crypto.randomBytes(16).toString("base64url")
      notices.set(name, notice)
      return name
    },
    take: (name) => {
      const notice = notices.get(name)
      notices.delete(name)
      return notice
    }
  }
}
