/** Header fields as flat pairs, and what HTTP allows in them (RFC 9110 section 5). */

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const NOT_IN_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/
const LENGTH = /^\d{1,15}$/

/** Methods are tokens as well. */
export const isFieldName = (text: string): boolean => NAME.test(text)

export const isFieldValue = (text: string): boolean => !NOT_IN_A_VALUE.test(text)

/** The value of a field, of which a repeated one has all, joined as a list (RFC 9110 section 5.3). `name` is in lower case. */
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

/** A field as HTTP/1.1 writes it; undefined for one that it cannot carry. */
export const fieldLine = (name: string, value: string): string | undefined =>
  isFieldName(name) && isFieldValue(value) ? `${name}: ${value}\r\n` : undefined

export const isContentLength = (name: string): boolean => name.length === 14 && name.toLowerCase() === "content-length"

/** `Content-Length` in bytes; undefined for what is none, or more than anybody sends. */
export const lengthOf = (value: string): number | undefined => LENGTH.test(value) ? Number(value) : undefined
