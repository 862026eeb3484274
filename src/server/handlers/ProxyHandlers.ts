import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Api } from "../../api/Api.ts"
import { Connections } from "../../connections/Connections.ts"
import { CurrentProfile } from "../../domain/Profile.ts"
import type { ProxyRoutes } from "../../domain/ProxyRoutes.ts"
import type { Route } from "../../domain/Route.ts"

/** Whether an `If-None-Match` header contains the tag, by weak comparison (RFC 9110 §13.1.2). */
const matches = (header: string, tag: string): boolean =>
  header.trim() === "*" || header.split(",").some((entry) => entry.trim().replace(/^W\//, "") === tag)

const encodeRoute = (
  { connected, connection, host, pathPrefix, precedence, provider }: Route
): typeof Route.Encoded => ({
  host,
  path_prefix: pathPrefix,
  provider,
  connection,
  connected,
  ...(precedence === undefined ? {} : { precedence })
})

/** Encodes the routing table by hand: with the schema it takes longer than finding the routes. */
export const encodeRoutes = ({ baseUrls, placeholders, routes, version }: ProxyRoutes): string =>
  JSON.stringify(
    {
      version,
      routes: routes.map(encodeRoute),
      placeholders,
      base_urls: baseUrls
    } satisfies Required<typeof ProxyRoutes.Encoded>
  )

const bodies = new WeakMap<ProxyRoutes, string>()

/** The encoded table, cached per table. */
export const bodyOf = (table: ProxyRoutes): string => {
  const known = bodies.get(table) ?? encodeRoutes(table)
  bodies.set(table, known)
  return known
}

export const ProxyHandlers = HttpApiBuilder.group(
  Api,
  "proxy",
  Effect.fnUntraced(function*(handlers) {
    const connections = yield* Connections
    return handlers.handleAll({
      routes: ({ request }) =>
        Effect.gen(function*() {
          const table = yield* connections.routes(yield* CurrentProfile)
          const tag = `"${table.version}"`
          const known = request.headers["if-none-match"]
          if (known !== undefined && matches(known, tag)) {
            return HttpServerResponse.empty({ status: 304, headers: { etag: tag } })
          }
          return HttpServerResponse.text(bodyOf(table), { contentType: "application/json", headers: { etag: tag } })
        })
    })
  })
)
