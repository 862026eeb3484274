/** Placeholders in requests where the proxy does not replace them: an attempt to leak a credential, or a wrong configuration. */

export const misplacedKinds = ["unmatched", "provider", "token_request", "connection"] as const
/** The parts of a request. Only log entries of earlier versions name `body` and `message`. */
export const misplacedPlaces = ["host", "header", "path", "query", "body", "message"] as const

export interface MisplacedPlaceholder {
  /** The kind of request that had the placeholder. */
  readonly kind: (typeof misplacedKinds)[number]
  /** The part of the request with the placeholder. */
  readonly place: (typeof misplacedPlaces)[number]
}

const PLACES: Readonly<Record<MisplacedPlaceholder["place"], string>> = {
  host: "the host name",
  header: "a header",
  path: "the path",
  query: "the query",
  body: "the body",
  message: "a message"
}

/** A sentence about the misplaced placeholder, such as `A placeholder was in the query of a request to api.example.com, where …`. */
export const describeMisplaced = ({ kind, place }: MisplacedPlaceholder, host: string): string => {
  switch (kind) {
    case "unmatched":
      return `A placeholder was in ${
        PLACES[place]
      } of a request to ${host}, which belongs to none of the available providers`
    case "provider":
      return `A placeholder was in ${PLACES[place]} of a request to ${host}, where it is not replaced by the credential`
    case "token_request":
      return `A placeholder was in ${
        PLACES[place]
      } of a token request to ${host}, where it is not replaced by the credential`
    case "connection":
      return `A request to ${host} had a placeholder that names a connection which the provider of that host does not have`
  }
}

/** The form in reports, such as `provider query`. */
export const formatMisplaced = ({ kind, place }: MisplacedPlaceholder): string => `${kind} ${place}`

export const parseMisplaced = (text: string): MisplacedPlaceholder | undefined => {
  const [first, second] = text.split(" ")
  const kind = misplacedKinds.find((kind) => kind === first)
  const place = misplacedPlaces.find((place) => place === second)
  return kind === undefined || place === undefined ? undefined : { kind, place }
}
