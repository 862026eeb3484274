/** The operations that only proxies call. */
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { ConnectionAlreadyExistsError, connectionErrors, VaultUnavailableError } from "../domain/Errors.ts"
import { ProgramLoginReply, ProgramLoginRequest } from "../domain/wire/ProgramLogin.ts"
import { ProxyRoutes } from "../domain/wire/ProxyRoutes.ts"
import { RunId } from "../domain/wire/Resolve.ts"
import { forJobs, forProfile, ProfileSelection, titled } from "./OperationParts.ts"

export class ProxyGroup extends HttpApiGroup.make("proxy")
  .add(
    forJobs(
      "Get the routing table",
      "Returns which hosts belong to which provider. Responds with 304 to an `If-None-Match` with the current version. " +
        "All lists except `routes` cover only providers with a connection. `base_urls` has the variables from which SDKs read the " +
        "base URL of their API.",
      { hasEntityTag: true }
    ).get("routes", "/proxy/routes", { success: ProxyRoutes, error: [VaultUnavailableError] }),
    forProfile(
      "Decide how to handle the login of a program",
      "Tells the proxy what to do with a request to a token or revocation endpoint that the definition declares in " +
        "`issues_tokens`. The daemon stores the tokens in `response` as a connection and returns it with placeholders, and itself " +
        "responds to refreshes and revocations of placeholders. A login replaces a connection of the same account; otherwise " +
        "it is stored under a new name."
    ).post("login", "/proxy/login", {
      headers: Schema.Struct({ "credsvc-run": Schema.optionalKey(RunId) }),
      payload: ProgramLoginRequest,
      success: ProgramLoginReply,
      error: [ConnectionAlreadyExistsError, ...connectionErrors]
    })
  )
  .middleware(ProfileSelection)
  .annotateMerge(
    titled("Proxy", "The routing table for the forward proxy of `run`, and the logins that programs make in runs.")
  )
{}
