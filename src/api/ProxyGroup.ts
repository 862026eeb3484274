import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { VaultUnavailableError } from "../domain/Errors.ts"
import { ProxyRoutes } from "../domain/wire/ProxyRoutes.ts"
import { documented, titled } from "./Documentation.ts"
import { ProfileSelection, RequestProblems } from "./Middleware.ts"

export class ProxyGroup extends HttpApiGroup.make("proxy")
  .add(
    HttpApiEndpoint.get("routes", "/proxy/routes", {
      success: ProxyRoutes,
      error: [VaultUnavailableError]
    }).annotateMerge(
      documented(
        "Get the routing table",
        "Returns which hosts belong to which provider. Responds with 304 to an `If-None-Match` with the current version. " +
          "`placeholders` and `base_urls` exist for providers with a connection. `base_urls` are the variables from which SDKs read the " +
          "address of their API from, with that address."
      )
    )
  )
  .middleware(ProfileSelection)
  .middleware(RequestProblems)
  .annotateMerge(
    titled("Proxy", "The routing table for the forward proxy of `run`.")
  )
{}
