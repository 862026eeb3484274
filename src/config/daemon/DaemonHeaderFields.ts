/** Header fields for an authenticating proxy in front of the daemon, one per line. Their values are secrets. */
import * as Result from "effect/Result"

export type HeaderFields = Readonly<Record<string, string>>

/** Connection-specific header fields (RFC 9110 section 7.6.1), and fields that credsvc sets. */
const reserved = new Set(
  ("accept connection content-digest content-encoding content-length content-type expect host " +
    "if-none-match keep-alive origin signature signature-input te trailer transfer-encoding upgrade").split(" ")
)

const isReserved = (name: string): boolean => reserved.has(name) || /^(?:credsvc|proxy|sec)-/.test(name)

const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)[ \t]*$/

/** Parses lines of the form `Name: value`. A failure is a clause that contains no value. */
export const parseHeaderFields = (text: string): Result.Result<HeaderFields, string> => {
  const fields: Record<string, string> = {}
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue
    const [, name = "", value = ""] = field.exec(line.trim()) ?? []
    const key = name.toLowerCase()
    if (key === "") return Result.fail(`line ${at + 1} is not of the form "Name: value"`)
    if (isReserved(key)) return Result.fail(`it must not contain the field "${name}"`)
    if (Object.hasOwn(fields, key)) return Result.fail(`it contains the field "${name}" twice`)
    fields[key] = value
  }
  return Object.keys(fields).length === 0 ? Result.fail("it contains no header field") : Result.succeed(fields)
}
