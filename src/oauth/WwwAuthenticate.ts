/** Parses the challenges of a `WWW-Authenticate` field (RFC 9110 section 11.6.1). */

export interface Challenge {
  readonly scheme: string
  /** The parameters by lower-case name. The first of several parameters with the same name is used. */
  readonly parameters: ReadonlyMap<string, string>
}

const MAX_LENGTH = 16_384

const scheme = /[,\s]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?=[\s,]|$)/y
/** Matches a parameter of a challenge. Some servers do not quote a URL. */
const parameter =
  /[,\s]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"=][^\s,;"]*))(?=[\s,]|$)/y
const token68 = /[ \t]+[A-Za-z0-9._~+/-]+=*(?=[ \t]*(?:,|$))/y
const end = /[,\s]*$/y

/** Parses all challenges. Returns none if the field is malformed: a partial parse could assign parameters to the wrong challenge. */
export const parse = (header: string): ReadonlyArray<Challenge> => {
  if (header.length > MAX_LENGTH) return []
  let at = 0
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(header)
    if (match !== null) at = pattern.lastIndex
    return match
  }
  const challenges: Array<Challenge> = []
  while (next(end) === null) {
    const name = next(scheme)
    if (name === null) return []
    const parameters = new Map<string, string>()
    challenges.push({ scheme: name[1]!.toLowerCase(), parameters })
    let match = next(parameter)
    if (match === null) next(token68)
    for (; match !== null; match = next(parameter)) {
      const key = match[1]!.toLowerCase()
      const value = match[2]?.replace(/\\(.)/g, "$1") ?? match[3]!
      if (!parameters.has(key)) parameters.set(key, value)
    }
  }
  return challenges
}
