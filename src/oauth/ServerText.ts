/** Sanitizes server-controlled text. */

const MAX_DESCRIPTION = 256

/** The characters of `error`: the characters of a scope, and the space (RFC 6749 appendices A.7 and A.4). */
const errorCode = /^[\u0020-\u0021\u0023-\u005b\u005d-\u007e]{1,128}$/
const scopeToken = /^[\u0021\u0023-\u005b\u005d-\u007e]{1,256}$/

export const isErrorCode = (text: unknown): text is string => typeof text === "string" && errorCode.test(text)

export const isScope = (text: string): boolean => scopeToken.test(text)

/**
 * Returns one line of at most 256 characters, without control and direction characters, or undefined if nothing is
 * left.
 */
export const plainText = (text: unknown): string | undefined => {
  if (typeof text !== "string") return undefined
  const line = text.slice(0, 4 * MAX_DESCRIPTION).replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, " ").trim()
  if (line === "") return undefined
  const characters = Array.from(line)
  return characters.length > MAX_DESCRIPTION ? `${characters.slice(0, MAX_DESCRIPTION - 1).join("")}…` : line
}
