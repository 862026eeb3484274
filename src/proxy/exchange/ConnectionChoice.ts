/** Finds the connection that a request chooses: by its placeholder, by a header field, or by its base URL. */
import type { PhantomName } from "../../domain/injection/Phantom.ts"
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { isConnectionName } from "../../domain/wire/Names.ts"
import { fieldOf } from "../../http/HeaderFields.ts"
import { CONNECTION_FIELD, namedConnections, phantomsOf } from "../../outbound/EndToEndFields.ts"
import { type Refusal, requestRefusal } from "../ErrorResponse.ts"

export const conflict = (message: string): Refusal => ({ status: 409, error: "AmbiguousConnectionError", message })

/** The token of a login, or the one that an API has issued, whose placeholder the request has, in a header field or in its target. */
export const phantomOf = (withheld: ReadonlyArray<string>, target: string): PhantomName | Refusal | undefined => {
  let found: PhantomName | undefined
  for (const phantom of phantomsOf(withheld, target)) {
    if (phantom.role !== "access_token" && phantom.role !== "issued_token") {
      return requestRefusal(
        403,
        `the placeholder of a ${phantom.role} may be sent only to the token endpoint, in the body`
      )
    }
    const isSame = found === undefined || (found.provider === phantom.provider &&
      found.connection === phantom.connection && found.login === phantom.login &&
      (found.role !== phantom.role || found.sealed === phantom.sealed))
    if (!isSame) {
      return conflict("the request has placeholders of several tokens: use one of them")
    }
    // Some APIs get an issued token beside the one of the login.
    if (found?.role !== "issued_token") found = phantom
  }
  return found
}

/** Returns the connection that a request chooses. Undefined if it uses the default. `withheld`: the fields for the proxy. */
export const chosenConnection = (
  withheld: ReadonlyArray<string>,
  target: string,
  reached: ConnectionName | undefined
): ConnectionName | Refusal | undefined => {
  const named = namedConnections(withheld, target)
  if (named.length > 1) {
    return conflict(`the request has placeholders of several connections (${named.join(", ")}): use one of them`)
  }
  const name = named[0] ?? fieldOf(withheld, CONNECTION_FIELD) ?? reached
  if (name === undefined || isConnectionName(name)) return name
  return conflict("the request has an invalid connection name in its credsvc-connection header or its placeholder")
}
