/** Routes of the stylesheet, the script and the icon, and the redirects to the overview page. */
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { connectionOf, headOf } from "../http/IncomingRequest.ts"
import { Instance } from "../http/Instance.ts"
import { PageSessions } from "../http/PageSessions.ts"
import { script, stylesheet } from "./Assets.ts"
import { layerPages, param } from "./PageRequests.ts"
import { icon, messagePage, seeOther } from "./Pages.ts"

const serveAsset = Effect.flatMap(param("name"), (name) => {
  const asset = [stylesheet(), script()].find(({ path }) => path.endsWith(`/${name}`))
  return asset === undefined
    ? Effect.succeed(
      messagePage(404, "File not found", "The file belongs to a page of another version of credsvc. Reload the page.")
    )
    : asset.response
})

export const layer = layerPages(Effect.gen(function*() {
  const sessions = yield* PageSessions
  const { exposed } = yield* Instance
  return {
    root: Effect.succeed(seeOther("/ui/")),
    /** Sets the cookie of the pages in exchange for the code of `credsvc ui`. */
    enter: Effect.gen(function*() {
      if (!exposed) return seeOther("/ui/")
      const request = yield* HttpServerRequest.HttpServerRequest
      const code = new URL(request.url, "http://localhost").searchParams.get("code") ?? ""
      // The guard admits no request without a connection.
      const cookie = yield* sessions.enter(connectionOf(request)!.socket, headOf(request), code)
      return cookie === undefined
        ? messagePage(
          401,
          "This URL cannot be used",
          "The URL opens the pages once, within a minute, on the daemon's machine. Get a new URL with: credsvc ui"
        )
        : HttpServerResponse.setHeader(seeOther("/ui/"), "set-cookie", cookie)
    }),
    asset: serveAsset,
    icon
  }
}))
