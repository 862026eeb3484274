import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Api } from "../../api/Api.ts"
import { Connections } from "../../connections/Connections.ts"
import { EnvironmentScan } from "../../connections/EnvironmentScan.ts"
import { defaultConnectionName } from "../../domain/Names.ts"
import { CurrentProfile } from "../../domain/Profile.ts"
import { currentPeer } from "../http/Caller.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { ResolveOperation } from "../resolve/ResolveOperation.ts"

export const CredentialsHandlers = HttpApiBuilder.group(
  Api,
  "credentials",
  Effect.fnUntraced(function*(handlers) {
    const connections = yield* Connections
    const children = yield* ChildRefusal
    const operation = yield* ResolveOperation
    const scan = yield* EnvironmentScan

    return handlers.handleAll({
      export: ({ payload }) => {
        // As in `credsvc export`: the choice made with `set-default` applies to the proxy and to library calls only.
        const request = { ...payload, connection: payload.connection ?? defaultConnectionName }
        return Effect.andThen(
          children.refuseSecrets({ event: "export", provider: request.provider, connection: request.connection }),
          Effect.flatMap(CurrentProfile, (profile) => connections.exportCredential(profile, request))
        )
      },
      scan: ({ payload }) =>
        Effect.andThen(
          children.refuseSecrets({ event: "scan", provider: null, connection: payload.connection ?? null }),
          Effect.flatMap(CurrentProfile, (profile) => scan.report(profile, payload))
        )
    }).handleRaw(
      "resolve",
      ({ headers, request }) =>
        Effect.gen(function*() {
          const text = yield* Effect.orDie(request.text)
          const [peer, profile] = [yield* currentPeer, yield* CurrentProfile]
          const body = yield* operation.respond({ peer, profile, run: headers["credsvc-run"] }, text)
          return HttpServerResponse.text(body, { contentType: "application/json" })
        })
    )
  })
)
