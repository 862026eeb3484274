/** The seconds for which `Retry-After` (RFC 9110 section 10.2.3) asks to wait, as a field for `OAuthUnavailable`, if any. */
import type { OAuthResponse } from "./OAuthHttp.ts"

export const retryAfter = ({ headers }: OAuthResponse, nowMillis: number): { readonly retryAfterSeconds?: number } => {
  const value = headers["retry-after"]?.trim() ?? ""
  // Without this check, V8 would read "-1" as a date.
  const date = value.endsWith(" GMT") ? value : ""
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(date) - nowMillis) / 1000
  return Number.isFinite(seconds) ? { retryAfterSeconds: Math.max(0, Math.ceil(seconds)) } : {}
}
