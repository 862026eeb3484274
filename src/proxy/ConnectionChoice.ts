/** Finds the connection that a request chooses: by its placeholder, by a header field, or by its base URL. */
import type { ConnectionName } from "../domain/Connection.ts"
import { isConnectionName } from "../domain/Names.ts"
import { fieldOf } from "../http/HeaderFields.ts"
import { namedConnections } from "../outbound/HeaderInjection.ts"
import type { Refusal } from "./ErrorResponse.ts"

/** Names the connection in a request, which the proxy removes. */
const CONNECTION_FIELD = "credsvc-connection"

const conflict = (message: string): Refusal => ({ status: 409, error: "AmbiguousConnectionError", message })

/** Undefined if the request does not choose a connection, so the default is used. */
export const chosenConnection = (
  headers: ReadonlyArray<string>,
  target: string,
  reached: ConnectionName | undefined
): ConnectionName | Refusal | undefined => {
  const named = namedConnections(headers, target)
  if (named.length > 1) {
    return conflict(`the request has placeholders of several connections (${named.join(", ")}): use one of them`)
  }
  const name = named[0] ?? fieldOf(headers, CONNECTION_FIELD) ?? reached
  if (name === undefined || isConnectionName(name)) return name
  return conflict("the request has an invalid connection name in its credsvc-connection header or its placeholder")
}
