import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Api } from "../../api/Api.ts"
import { endpointOf, proofHeader, serverProof } from "../../config/AccessKey.ts"
import { Paths } from "../../config/Paths.ts"
import { apiVersion } from "../../domain/ApiVersion.ts"
import { CurrentProfile } from "../../domain/Profile.ts"
import { version } from "../../platform/Version.ts"
import { Vault } from "../../vault/Vault.ts"
import { connectionOf } from "../http/Incoming.ts"
import { Instance } from "../http/Instance.ts"
import { Readiness } from "../Readiness.ts"

export const SystemHandlers = HttpApiBuilder.group(
  Api,
  "system",
  Effect.fnUntraced(function*(handlers) {
    const instance = yield* Instance
    const vault = yield* Vault
    const readiness = yield* Readiness
    const { home } = yield* Paths

    const masterKey = Effect.map(vault.masterKey, ({ description, mode, source }) => ({
      masterKeyMode: mode,
      masterKeySource: source,
      masterKeyDescription: description
    }))

    const prove = (nonce: string) =>
      HttpEffect.appendPreResponseHandler((request, response) => {
        const address = connectionOf(request)?.socket.localAddress
        const proof = serverProof(instance.accessKey, nonce, endpointOf(address, instance.port))
        return Effect.succeed(HttpServerResponse.setHeader(response, proofHeader, proof))
      })

    return handlers.handleAll({
      health: ({ query }) =>
        Effect.gen(function*() {
          if (query.nonce !== undefined) yield* prove(query.nonce)
          const key = yield* masterKey
          return { status: "ok" as const, version, apiVersion, instance: instance.id, ...key }
        }),
      ready: () => readiness.report,
      whoami: () =>
        Effect.zipWith(CurrentProfile, masterKey, (profile, key) => ({
          home,
          profile,
          identity: profile,
          ...key,
          daemonUrl: instance.baseUrl,
          version
        }))
    })
  })
)
