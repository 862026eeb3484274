/** The entries of the request log, as the daemon shows them. */
import * as Schema from "effect/Schema"
import { misplacedKinds, misplacedPlaces } from "../injection/MisplacedPlaceholder.ts"
import { RunName } from "./Run.ts"
import { Timestamp } from "./Timestamp.ts"
import { named, wire } from "./Wire.ts"

const Misplaced = Schema.Struct({
  kind: Schema.Literals(misplacedKinds).pipe(named("MisplacedKind", "What the request was for")),
  place: Schema.Literals(misplacedPlaces).pipe(named("MisplacedPlace", "The part of a request"))
}).pipe(named("MisplacedPlaceholder", "A placeholder where the proxy does not replace it", {
  kind:
    "`unmatched`: a request that belongs to no provider of the run. `provider`: a request to a provider, outside of the " +
    "places of the credential. `token_request`: a token request of the program itself. `connection`: the placeholder of " +
    "a connection that the provider of the request does not have",
  place:
    "Where it was. `host` is the name of the host, and `message` is a WebSocket message or the beginning of a tunnel"
}))

export const RequestEntry = wire(
  {
    batch: Schema.Int,
    kind: Schema.Literals(["request", "gap", "placeholder"]).pipe(
      named(
        "RequestEntryKind",
        "Whether an entry is a request, stands for requests that are missing, or is a placeholder in a request"
      )
    ),
    timestamp: Timestamp,
    run: RunName,
    identity: Schema.String,
    provider: Schema.NullOr(Schema.String),
    connection: Schema.NullOr(Schema.String),
    method: Schema.String,
    host: Schema.String,
    path: Schema.String,
    status: Schema.Int,
    bytesIn: Schema.Int,
    bytesOut: Schema.Int,
    rule: Schema.NullOr(Schema.String),
    error: Schema.NullOr(Schema.String),
    missing: Schema.NullOr(Schema.Int),
    misplaced: Schema.NullOr(Misplaced)
  },
  "RequestEntry",
  "A request of a run to a host of a provider, a gap in the record, or a misplaced placeholder",
  {
    batch: "The number of the batch with which it was recorded",
    kind:
      "Whether it is a request, stands for requests that are missing because the proxy could not report them, or is the " +
      "first placeholder of its kind that a request to the host had where it is not replaced by the credential",
    timestamp: "When the request ended, or when the placeholder was found",
    run: "The name of the run",
    identity: "The handle of the profile of the run",
    provider: "The provider of the host; null for a gap, and for a host that belongs to none",
    connection: "The connection whose credential was used; null if there was none",
    method: "The method",
    host: "The host",
    path: "The path, without the query and the credential; long parts that may be secret are shortened",
    status: "The status of the response; 0 if the request was aborted without one",
    bytesIn: "The number of bytes in the body of the request",
    bytesOut: "The number of bytes in the body of the response",
    rule: "The rule that decided about the request; null if there was none",
    error: "The class of the error with which the proxy refused the request; null if it was sent",
    missing: "The number of missing requests; null for a request, and if the number is unknown",
    misplaced: "The misplaced placeholder; null for a request or a gap"
  }
)
export type RequestEntry = typeof RequestEntry.Type
