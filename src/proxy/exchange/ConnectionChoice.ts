/** Finds the connection that a request chooses: by its placeholder, by a header field, or by its base URL. */
import type { ConnectionName } from "../../domain/wire/Connection.ts"
import { isConnectionName } from "../../domain/wire/Names.ts"
import { fieldOf } from "../../http/HeaderFields.ts"
import { CONNECTION_FIELD, namedConnections } from "../../outbound/EndToEndFields.ts"
import type { Refusal } from "../ErrorResponse.ts"

export const conflict = (message: string): Refusal => ({ status: 409, error: "AmbiguousConnectionError", message })

/** Undefined if the request does not choose a connection, so the default is used. `withheld`: the fields for the proxy. */
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
