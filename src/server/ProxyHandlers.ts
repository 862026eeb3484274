import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Api } from "../api/Api.ts"
import { Connections } from "../connections/Connections.ts"
import { CurrentProfile } from "../domain/Profile.ts"

/** RFC 9110 §13.1.2: a list of tags, weak or strong alike, or any. */
const matches = (header: string, tag: string): boolean =>
  header.trim() === "*" || header.split(",").some((entry) => entry.trim().replace(/^W\//, "") === tag)

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
          yield* HttpEffect.appendPreResponseHandler((_request, response) =>
            Effect.succeed(HttpServerResponse.setHeader(response, "etag", tag))
          )
          return table
        })
    })
  })
)
