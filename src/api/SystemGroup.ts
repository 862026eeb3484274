/** The operations that describe the daemon and its state. */
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { Health, NotReady, Ready, Whoami } from "../domain/wire/Health.ts"
import { ReplicaList } from "../domain/wire/Replica.ts"
import {
  BooleanText,
  forAdministrator,
  forAnyone,
  forJobs,
  matching,
  optional,
  ProfileSelection,
  titled
} from "./OperationParts.ts"

export class SystemGroup extends HttpApiGroup.make("system")
  .add(
    forAnyone(
      "Check that the daemon is running",
      "Responds while the daemon is running. With `nonce`, the header `Credsvc-Proof` proves that the " +
        "daemon can read the access key of this home. A client of the same user verifies it before sending anything else."
    ).get("health", "/health", {
      query: {
        nonce: optional(
          matching(/^[0-9a-f]{32,128}$/u, "32 to 128 hexadecimal digits"),
          "A random number, which the proof depends on"
        )
      },
      success: Health
    }),
    forAnyone(
      "Check that the daemon can serve credentials",
      "Checks the vault, the schema version, the provider definitions, the identity, the connections and the integrity of the " +
        "store, at a cost that does not depend on how much is stored. Responds with 503 if there are `problems`; `warnings` alone do not " +
        "cause a 503."
    ).get("ready", "/ready", {
      query: {
        full: optional(
          BooleanText,
          "Also write a test secret to the vault, and check every connection and file. Not allowed inside a run"
        )
      },
      success: [Ready, NotReady.pipe(HttpApiSchema.status(503))]
    }),
    forAdministrator(
      "Check all daemons of the store",
      "Lists the daemons that are connected to the PostgreSQL database, with the report of each, and their " +
        "problems. Waits up to three seconds for daemons that do not respond. If the store is a file, this daemon " +
        "is the only one."
    ).get("replicas", "/replicas", { success: ReplicaList, error: [VaultUnavailableError] }),
    forJobs(
      "Get the home of credsvc, the profile, the identity and the key source",
      "Describes the daemon and the profile of the request. Contains no secret."
    ).get("whoami", "/whoami", { success: Whoami }).middleware(ProfileSelection)
  )
  .annotateMerge(titled("System", "The state of the daemon."))
{}
