/** Placeholders in requests where the proxy does not replace them: an attempt to leak a credential, or a wrong configuration. */
import * as Schema from "effect/Schema"
import { named } from "./Wire.ts"

export const MisplacedPlaceholder = Schema.Struct({
  kind: Schema.Literals(["unmatched", "provider", "token_request", "connection"]).pipe(
    named("MisplacedKind", "What the request was for")
  ),
  place: Schema.Literals(["host", "header", "path", "query", "body", "message"]).pipe(
    named("MisplacedPlace", "The part of a request")
  )
}).pipe(named("MisplacedPlaceholder", "A placeholder where the proxy does not replace it", {
  kind:
    "`unmatched`: a request that belongs to no provider of the run. `provider`: a request to a provider, outside of the " +
    "places of the credential. `token_request`: a token request of the program itself. `connection`: the placeholder of " +
    "a connection that the provider of the request does not have",
  place:
    "Where it was. `host` is the name of the host, and `message` is a WebSocket message or the beginning of a tunnel"
}))
export type MisplacedPlaceholder = typeof MisplacedPlaceholder.Type

const PLACES: Readonly<Record<MisplacedPlaceholder["place"], string>> = {
  host: "the host name",
  header: "a header",
  path: "the path",
  query: "the query",
  body: "the body",
  message: "a message"
}

/** Says what happened, such as `A placeholder was in the query of a request to api.example.com, where …`. */
export const describeMisplaced = ({ kind, place }: MisplacedPlaceholder, host: string): string => {
  switch (kind) {
    case "unmatched":
      return `A placeholder was in ${PLACES[place]} of a request to ${host}, which belongs to none of its providers`
    case "provider":
      return `A placeholder was in ${PLACES[place]} of a request to ${host}, where it is not replaced by the credential`
    case "token_request":
      return `A placeholder was in ${
        PLACES[place]
      } of a token request to ${host}, where it is not replaced by the credential`
    case "connection":
      return `A request to ${host} had the placeholder of a connection that its provider does not have`
  }
}

const isMisplaced = Schema.is(MisplacedPlaceholder)

/** The form in reports, such as `provider query`. */
export const formatMisplaced = ({ kind, place }: MisplacedPlaceholder): string => `${kind} ${place}`

export const parseMisplaced = (text: string): MisplacedPlaceholder | undefined => {
  const [kind, place] = text.split(" ")
  const misplaced = { kind, place }
  return isMisplaced(misplaced) ? misplaced : undefined
}
