/** The type of a request's content (RFC 9110 section 8.3), if every server reads it alike. */
import { UncheckableError } from "./UncheckableError.ts"

export interface ContentType {
  /** In lower case. */
  readonly type: string
  /** By their names in lower case. */
  readonly parameters: ReadonlyMap<string, string>
}

const TYPE = /^([\w!#$&^.+-]+\/[\w!#$&^.+-]+)[ \t]*/
const PARAMETER = /^;[ \t]*(?:([\w!#$&^.+-]+)=(?:([\w!#$%&'*+.^`|~/:-]+)|"([^"\\;]*)")[ \t]*)?/
/** Servers that search instead of parsing would find another parameter in this value. */
const NESTED = /(?:boundary|charset)\s*=/i

const unreadable = (): UncheckableError =>
  new UncheckableError("its Content-Type could be read in more than one way: send one type with plain parameters")

export const contentType = (value: string): ContentType => {
  const [whole = "", type] = TYPE.exec(value) ?? []
  if (type === undefined) throw unreadable()
  const parameters = new Map<string, string>()
  let rest = value.slice(whole.length)
  while (rest !== "") {
    const [parameter = "", name = "", token, quoted = ""] = PARAMETER.exec(rest) ?? []
    const lower = name.toLowerCase()
    const text = token ?? quoted
    if (parameter === "" || parameters.has(lower) || NESTED.test(text)) throw unreadable()
    if (name !== "") parameters.set(lower, text)
    rest = rest.slice(parameter.length)
  }
  return { type: type.toLowerCase(), parameters }
}
