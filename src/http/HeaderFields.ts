/** Header fields as flat pairs of names and values, and what HTTP allows in them (RFC 9110 section 5). */

/** The limit for start line, header section and trailer section together. */
export const MAX_HEAD_BYTES = 64 * 1024

export const LONG_HEAD =
  "the request's target and header fields are longer than 64 KiB: shorten the URL, the cookies or other fields"

/** A header or trailer section: name, value, name, value, in the order received, as latin1. */
export type HeaderPairs = Array<string>

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const NOT_IN_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/
const LENGTH = /^\d{1,15}$/

export const isFieldName = (text: string): boolean => NAME.test(text)

export const isFieldValue = (text: string): boolean => !NOT_IN_A_VALUE.test(text)

/**
 * The value of a field, if present; values of a repeated field are joined as a list (RFC 9110 section 5.3). `name` is in lower
 * case.
 */
export const fieldOf = (pairs: ReadonlyArray<string>, name: string): string | undefined => {
  let found: string | undefined
  for (let i = 0; i < pairs.length; i += 2) {
    const candidate = pairs[i] ?? ""
    if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue
    const value = pairs[i + 1] ?? ""
    found = found === undefined ? value : `${found}, ${value}`
  }
  return found
}

/** The values of a field, one for each line. `name` is in lower case. */
export const valuesOf = (pairs: ReadonlyArray<string>, name: string): ReadonlyArray<string> =>
  pairs.filter((_, i) => i % 2 === 1 && pairs[i - 1]!.toLowerCase() === name)

/** The fields that `accept` selects by their name, in lower case, and value. */
export const fieldsThat = (
  pairs: ReadonlyArray<string>,
  accept: (name: string, value: string) => boolean
): HeaderPairs => {
  const accepted: HeaderPairs = []
  for (let i = 0; i < pairs.length; i += 2) {
    const [name = "", value = ""] = [pairs[i], pairs[i + 1]]
    if (accept(name.toLowerCase(), value)) accepted.push(name, value)
  }
  return accepted
}

/** A field line as HTTP/1.1 writes it; undefined for a field that HTTP/1.1 cannot carry. */
export const fieldLine = (name: string, value: string): string | undefined =>
  isFieldName(name) && isFieldValue(value) ? `${name}: ${value}\r\n` : undefined

export const isContentLength = (name: string): boolean => name.length === 14 && name.toLowerCase() === "content-length"

/** `Content-Length` in bytes; undefined for an invalid or unsafely large value. */
export const lengthOf = (value: string): number | undefined => LENGTH.test(value) ? Number(value) : undefined

/** The decoded text of an HTTP Basic value; undefined for any other value. */
export const basicText = (value: string): string | undefined =>
  value.length > 8 && /^basic /i.test(value) ? Buffer.from(value.slice(6), "base64").toString("latin1") : undefined
