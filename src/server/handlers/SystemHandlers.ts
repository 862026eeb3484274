/** Handlers of the operations that describe the daemon: health, readiness, replicas and the profile in use. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Record from "effect/Record"
import { Api } from "../../api/Api.ts"
import { endsOfDaemon, proofHeader, serverProof } from "../../config/daemon/AccessKey.ts"
import { Paths } from "../../config/Paths.ts"
import { apiVersion } from "../../domain/wire/ApiVersion.ts"
import type { Readiness as Report } from "../../domain/wire/Health.ts"
import { CurrentProfile } from "../../domain/wire/Profile.ts"
import { version } from "../../platform/process/Version.ts"
import { RunRegistry } from "../../runs/RunRegistry.ts"
import { Vault } from "../../vault/Vault.ts"
import { currentCaller, currentPeer } from "../http/CurrentCaller.ts"
import { connectionOf } from "../http/IncomingRequest.ts"
import { Instance } from "../http/Instance.ts"
import { masterKeyFields, Readiness } from "../Readiness.ts"
import { makeReplicas } from "../Replicas.ts"

const undisclosedKey = { masterKeyMode: "auto" as const, masterKeySource: null, masterKeyDescription: "" }

/** Removes the messages of a report, because they name connections and files. */
const undisclosed = ({ checks, status }: Report): Report => ({
  status,
  checks: Record.map(checks, ({ status }) => ({ status, message: "" })),
  warnings: [],
  problems: status === "unhealthy"
    ? ["The daemon cannot serve credentials. Its administrator can find the cause with: credsvc doctor"]
    : [],
  ...undisclosedKey
})

export const SystemHandlers = HttpApiBuilder.group(
  Api,
  "system",
  Effect.fnUntraced(function*(handlers) {
    const instance = yield* Instance
    const vault = yield* Vault
    const readiness = yield* Readiness
    const runs = yield* RunRegistry
    const { home } = yield* Paths

    const prove = (nonce: string) =>
      HttpEffect.appendPreResponseHandler((request, response) => {
        // The guard admits no request without a connection.
        const ends = endsOfDaemon(connectionOf(request)!.socket)
        return Effect.succeed(
          HttpServerResponse.setHeader(response, proofHeader, serverProof(instance.accessKey, nonce, ends))
        )
      })

    const isLocal = Effect.map(currentCaller, ({ _tag }) => _tag === "Local")
    const described = Effect.flatMap(
      isLocal,
      (local) => local ? Effect.map(vault.masterKey, masterKeyFields) : Effect.succeed(undisclosedKey)
    )
    // Cached, because anyone could request the report again and again.
    const publicReport = yield* Effect.cachedWithTTL(Effect.map(readiness.report, undisclosed), "10 seconds")

    const replicas = yield* makeReplicas

    return handlers.handleAll({
      replicas: () => replicas,
      health: Effect.fnUntraced(function*({ query }) {
        if (query.nonce !== undefined && (yield* isLocal)) yield* prove(query.nonce)
        const { exposed, id } = instance
        return { status: "ok" as const, version, apiVersion, instance: id, exposed, ...yield* described }
      }),
      ready: Effect.fnUntraced(function*({ query }) {
        if (!(yield* isLocal)) return yield* publicReport
        const isFull = query.full === "true" && !(yield* Effect.flatMap(currentPeer, runs.isInside))
        return yield* isFull ? readiness.fullReport : readiness.report
      }),
      whoami: Effect.fnUntraced(function*() {
        const profile = yield* CurrentProfile
        return {
          home: (yield* isLocal) ? home : "",
          profile,
          identity: profile,
          ...(yield* described),
          daemonUrl: instance.baseUrl,
          version
        }
      })
    })
  })
)
