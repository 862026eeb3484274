/** Notices to show once after a redirect, under random names, so that no link can choose the text. */
import { setNewest } from "../../platform/BoundedMap.ts"
import { builtins } from "../../platform/builtins.ts"
import type { Html } from "../pages/Html.ts"

/** The maximum number of notices, which is beyond practical use. The oldest notices are dropped first. */
const maxNotices = 64

export const makePageNotices = () => {
  const notices = new Map<string, Html>()
  return {
    put: (notice: Html) => {
      const name = builtins.crypto.randomBytes(16).toString("base64url")
      setNewest(notices, name, notice, maxNotices)
      return name
    },
    take: (name: string) => {
      const notice = notices.get(name)
      notices.delete(name)
      return notice
    }
  }
}
