/** Handlers of the operations that only proxies call: the routing table, and logins that programs make in runs. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Api } from "../../api/Api.ts"
import { Connections } from "../../connections/Connections.ts"
import { CurrentProfile } from "../../domain/wire/Profile.ts"
import type { ProxyRoutes } from "../../domain/wire/ProxyRoutes.ts"
import { writeRoutes } from "../../domain/wire/ReadRoutes.ts"
import { RunRegistry } from "../../runs/RunRegistry.ts"
import { ChildRefusal } from "../http/ChildRefusal.ts"
import { currentPeer } from "../http/CurrentCaller.ts"

/** Whether an `If-None-Match` header contains the tag, by weak comparison (RFC 9110 section 13.1.2). */
const matches = (header: string, tag: string): boolean =>
  header.trim() === "*" || header.split(",").some((entry) => entry.trim().replace(/^W\//, "") === tag)

const bodies = new WeakMap<ProxyRoutes, Uint8Array>()

/** Encodes each table only once: with all bundled providers, encoding takes longer than the rest of a request. */
export const bodyOf = (table: ProxyRoutes): Uint8Array => {
  const known = bodies.get(table) ?? new TextEncoder().encode(JSON.stringify(writeRoutes(table)))
  bodies.set(table, known)
  return known
}

export const ProxyHandlers = HttpApiBuilder.group(
  Api,
  "proxy",
  Effect.fnUntraced(function*(handlers) {
    const children = yield* ChildRefusal
    const connections = yield* Connections
    const runs = yield* RunRegistry
    return handlers.handleAll({
      login: Effect.fnUntraced(function*({ headers, payload }) {
        const [peer, profile] = [yield* currentPeer, yield* CurrentProfile]
        const limits = yield* runs.limitsOf(peer, headers["credsvc-run"])
        if (limits === undefined) {
          const attempt = { event: "login" as const, provider: payload.provider, connection: null }
          yield* children.refuseResolve(peer, profile, Effect.succeed(attempt))
        }
        return yield* connections.programLogin(profile, payload, limits)
      }),
      routes: Effect.fnUntraced(function*({ request }) {
        const table = yield* connections.routes(yield* CurrentProfile)
        const tag = `"${table.version}"`
        const known = request.headers["if-none-match"]
        if (known !== undefined && matches(known, tag)) {
          return HttpServerResponse.empty({ status: 304, headers: { etag: tag } })
        }
        return HttpServerResponse.uint8Array(bodyOf(table), { contentType: "application/json", headers: { etag: tag } })
      })
    })
  })
)
