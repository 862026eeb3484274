/** Header fields as flat pairs. */

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
