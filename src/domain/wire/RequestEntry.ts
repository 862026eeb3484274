/** The entries of the request log, as the daemon shows them. */
import * as Schema from "effect/Schema"
import { errorSlug } from "../Errors.ts"
import { misplacedKinds, misplacedPlaces } from "../injection/MisplacedPlaceholder.ts"
import { RunName } from "./Run.ts"
import { named, struct, Timestamp, wire } from "./Wire.ts"

const Misplaced = struct("MisplacedPlaceholder", "A placeholder where the proxy does not replace it", {
  kind: [
    Schema.Literals(misplacedKinds).pipe(named("MisplacedKind", "The kind of a misplaced placeholder")),
    "`unmatched`: in a request that belongs to no provider of the run. `provider`: in a request to a provider, in a " +
    "place where no credential belongs. `token_request`: in a token request of the program itself. `connection`: the " +
    "placeholder of a connection that the provider of the request does not have, or placeholders of several connections"
  ],
  place: [
    Schema.Literals(misplacedPlaces).pipe(named("MisplacedPlace", "The part of a request")),
    "Where the placeholder was. `host` is the name of the host, and `message` is a WebSocket message or the " +
    "beginning of a tunnel"
  ]
})

export const RequestEntry = wire(
  "RequestEntry",
  "A request of a run to a host of a provider, a gap in the record, or a misplaced placeholder",
  {
    batch: [Schema.Int, "The number of the batch with which the entry was recorded"],
    kind: [
      Schema.Literals(["request", "gap", "placeholder"]).pipe(
        named(
          "RequestEntryKind",
          "Whether an entry is a request, stands for requests that are missing, or is a placeholder in a request"
        )
      ),
      "`request`: a request. `gap`: requests that are missing because the proxy could not report them. " +
      "`placeholder`: the first placeholder of its kind that a request to the host had in a place where the proxy " +
      "does not replace it"
    ],
    timestamp: [Timestamp, "When the request ended, or when the placeholder was found"],
    run: [RunName, "The name of the run"],
    identity: [Schema.String, "The handle of the profile of the run"],
    provider: [
      Schema.NullOr(Schema.String),
      "The provider of the host; null for a gap, and for a host that belongs to no provider"
    ],
    connection: [Schema.NullOr(Schema.String), "The connection whose credential was used; null if there was none"],
    method: [Schema.String, "The method"],
    host: [Schema.String, "The host"],
    path: [
      Schema.String,
      "The path, without the query and the credential; long parts that may be secret are shortened. Empty for a refused request"
    ],
    status: [Schema.Int, "The status of the response; 0 if the request was aborted without a response"],
    bytesIn: [Schema.Int, "The number of bytes in the body of the request"],
    bytesOut: [Schema.Int, "The number of bytes in the body of the response"],
    rule: [Schema.NullOr(Schema.String), "The rule that allowed or refused the request; null if there was none"],
    error: [
      Schema.NullOr(Schema.String),
      "The class of the error with which the proxy refused the request; null if the request was sent"
    ],
    missing: [
      Schema.NullOr(Schema.Int),
      "The number of missing requests; null for a request, and if the number is unknown"
    ],
    missingScopes: [
      Schema.optionalKey(Schema.Array(Schema.String)),
      "The scopes that the response demanded in addition to the scopes of the credential. Absent if it demanded none"
    ],
    tokens: [
      Schema.optionalKey(Schema.Int),
      "The number of LLM tokens that the response reported. Absent if it reported none, or if the run has no token limit"
    ],
    misplaced: [Schema.NullOr(Misplaced), "The misplaced placeholder; null for a request or a gap"]
  }
)
export type RequestEntry = typeof RequestEntry.Type

/** How a request ended, such as `200`, `aborted` or `denied by rule`. */
export const outcomeOf = ({ error, misplaced, status }: Pick<RequestEntry, "error" | "misplaced" | "status">): string =>
  misplaced !== null
    ? `placeholder in ${misplaced.place}`
    : error !== null
    ? errorSlug(error).replaceAll("-", " ")
    : status === 0
    ? "aborted"
    : String(status)

/** The host and path of a request. The path of a refused request is not recorded. */
export const hostAndPath = ({ error, host, path }: Pick<RequestEntry, "error" | "host" | "path">): string =>
  host + (error !== null && path === "" ? "/…" : path)
