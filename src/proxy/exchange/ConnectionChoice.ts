/** Finds the connection that a request chooses: by its placeholder, by a header field, or by its base URL. */
import { connectionsIn, type PhantomName, phantomsIn, PLACEHOLDER } from "../../domain/injection/Placeholder.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { isConnectionName } from "../../domain/wire/Names.ts"
import { basicText, fieldOf } from "../../http/HeaderFields.ts"
import { CONNECTION_FIELD } from "../../outbound/EndToEndFields.ts"
import { type Refusal, requestRefusal } from "../ErrorResponse.ts"

const NO_TEXTS: ReadonlyArray<string> = []

/** The strings that may have placeholders: the fields for the proxy, and the target. */
const searchedIn = (withheld: ReadonlyArray<string>, target: string): ReadonlyArray<string> =>
  withheld.length === 0 && !target.includes(PLACEHOLDER)
    ? NO_TEXTS
    : [
      ...withheld.filter((_, i) => i % 2 === 1).map((value) => basicText(value) ?? value),
      target.replaceAll("%40", "@")
    ]

/** The connections that placeholders name, each once. */
export const namedConnections = (withheld: ReadonlyArray<string>, target: string): ReadonlyArray<string> => [
  ...new Set(searchedIn(withheld, target).flatMap(connectionsIn))
]

/** The phantoms in the fields for the proxy and in the target. */
const phantomsOf = (withheld: ReadonlyArray<string>, target: string): ReadonlyArray<PhantomName> =>
  searchedIn(withheld, target).flatMap(phantomsIn)

export const connectionConflict = (message: string): Refusal => ({
  status: 409,
  error: "AmbiguousConnectionError",
  message
})

/**
 * Finds the placeholder of a token, which a login has obtained or an API has issued, in the header fields or target of a request.
 * Returns a refusal if the request must not have the placeholders that it has.
 */
export const phantomOf = (withheld: ReadonlyArray<string>, target: string): PhantomName | Refusal | undefined => {
  const phantoms = phantomsOf(withheld, target)
  if (phantoms.length === 0) return undefined
  const other = phantoms.find(({ role }) => role !== "access_token" && role !== "issued_token")
  if (other !== undefined) {
    const message = `the placeholder of a ${other.role} may be sent only in the body of a request to the token endpoint`
    return requestRefusal(403, message)
  }
  const logins = new Set(phantoms.map(({ connection, login, provider }) => `${provider} ${connection} ${login}`))
  const issued = phantoms.filter(({ role }) => role === "issued_token")
  if (logins.size > 1 || new Set(issued.map((phantom) => phantom.issued)).size > 1) {
    return connectionConflict("the request has placeholders of several tokens: use one of them")
  }
  // Some APIs receive an issued token in addition to the token of the login.
  return issued[0] ?? phantoms[0]
}

/**
 * Returns the connection that a request chooses, or undefined if it uses the default. `withheld`: the header fields that the
 * proxy does not forward.
 */
export const chosenConnection = (
  withheld: ReadonlyArray<string>,
  target: string,
  reached: ConnectionName | undefined
): ConnectionName | Refusal | undefined => {
  const named = namedConnections(withheld, target)
  if (named.length > 1) {
    return connectionConflict(
      `the request has placeholders of several connections (${named.join(", ")}): use one of them`
    )
  }
  const name = named[0] ?? fieldOf(withheld, CONNECTION_FIELD) ?? reached
  if (name === undefined || isConnectionName(name)) return name
  return connectionConflict(
    "the request has an invalid connection name in its credsvc-connection header or its placeholder"
  )
}
