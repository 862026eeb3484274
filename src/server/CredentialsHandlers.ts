import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Option from "effect/Option"
import { Api } from "../api/Api.ts"
import { Connections } from "../connections/Connections.ts"
import { CurrentProfile } from "../domain/Profile.ts"

export const CredentialsHandlers = HttpApiBuilder.group(
  Api,
  "credentials",
  Effect.fnUntraced(function*(handlers) {
    const connections = yield* Connections
    return handlers.handleAll({
      export: ({ payload }) =>
        Effect.flatMap(CurrentProfile, (profile) => connections.exportCredential(profile, payload)),
      resolve: ({ headers, payload }) =>
        Effect.flatMap(
          CurrentProfile,
          (profile) => connections.resolve(profile, payload, { run: Option.fromUndefinedOr(headers["credsvc-run"]) })
        )
    })
  })
)
