/** The type of a request's content (RFC 9110 section 8.3), if every server reads it alike. */
import { UncheckableError } from "./BodyCheck.ts"

const TYPE = /^([\w!#$&^.+-]+\/[\w!#$&^.+-]+)[ \t]*/
const PARAMETER = /^;[ \t]*(?:([\w!#$&^.+-]+)=(?:([\w!#$%&'*+.^`|~/:-]+)|"([^"\\;]*)")[ \t]*)?/
/** A value in which servers that search instead of parsing would find another parameter. */
const NESTED = /(?:boundary|charset)\s*=/i
/** The words that some servers look for in the whole field. */
const SEARCHED = /boundary|charset|form-data|json|multipart|urlencoded/gi

const unreadableType = (): UncheckableError =>
  new UncheckableError(
    "its Content-Type could be read in more than one way: send one media type, and no parameters except charset or boundary"
  )

/** Whether a server that searches the field instead of parsing it finds a parameter or type that the field does not have. */
const misleadsServers = (type: string, name: string, text: string): boolean => {
  if (name === "boundary") return false
  // PHP looks for the word in lower case first.
  if (/^boundary$/i.test(name)) return true
  const words = (/^charset$/i.test(name) ? text : `${name}=${text}`).toLowerCase().match(SEARCHED) ?? []
  return words.some((word) => word !== "json" || !/^multipart\/|json/.test(type))
}

/** Returns the media type and the parameters, with names in lower case. Throws an `UncheckableError`. */
export const contentType = (value: string) => {
  const [whole = "", given] = TYPE.exec(value) ?? []
  if (given === undefined) throw unreadableType()
  const type = given.toLowerCase()
  const parameters = new Map<string, string>()
  let rest = value.slice(whole.length)
  while (rest !== "") {
    const [parameter = "", name = "", token, quoted = ""] = PARAMETER.exec(rest) ?? []
    const lower = name.toLowerCase()
    const text = token ?? quoted
    if (parameter === "" || parameters.has(lower) || NESTED.test(text) || misleadsServers(type, name, text)) {
      throw unreadableType()
    }
    if (name !== "") parameters.set(lower, text)
    rest = rest.slice(parameter.length)
  }
  return { type, parameters }
}
