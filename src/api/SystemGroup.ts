/** The daemon about itself: liveness, readiness, identity. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Health, NotReady, Ready, Whoami } from "../domain/Health.ts"
import { ProfileSelection, RequestProblems } from "./Middleware.ts"

export class SystemGroup extends HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("health", "/health", {
      query: {
        nonce: Schema.optionalKey(
          Schema.String.check(Schema.isPattern(/^[0-9a-f]{32,128}$/, { expected: "32 to 128 hexadecimal digits" }))
        )
      },
      success: Health
    }).annotateMerge(OpenApi.annotations({
      identifier: "system.health",
      summary: "Is the process up?",
      description: "Answers whenever the process is up. With `nonce`, the header `Credsvc-Proof` proves that the " +
        "daemon can read this home directory's access key: a client of the same user checks it before it sends anything."
    })),
    HttpApiEndpoint.get("ready", "/ready", {
      success: [Ready, NotReady.pipe(HttpApiSchema.status(503))]
    }).annotateMerge(OpenApi.annotations({
      identifier: "system.ready",
      summary: "Can it serve credentials?",
      description:
        "Verifies vault, schema version and provider parsing. 503 when `problems` is not empty; `warnings` " +
        "never block."
    })),
    HttpApiEndpoint.get("whoami", "/whoami", { success: Whoami })
      .middleware(ProfileSelection)
      .annotateMerge(OpenApi.annotations({
        identifier: "system.whoami",
        summary: "Home, profile, identity and key source"
      }))
  )
  .middleware(RequestProblems)
  .annotateMerge(OpenApi.annotations({ title: "System", description: "The daemon about itself." }))
{}
