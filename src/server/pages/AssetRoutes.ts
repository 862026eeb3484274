/** Routes of the stylesheet, the script and the icon, and the redirect to the first page. */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { ServedPath } from "../http/GuardedApp.ts"
import { script, stylesheet } from "./Assets.ts"
import { param } from "./PageRequests.ts"
import { icon, iconPath, messagePage, seeOther } from "./Pages.ts"
import { texts } from "./Texts.ts"

const kept = { "cache-control": "private, max-age=31536000, immutable" }

const serveAsset = Effect.map(param("name"), (name) => {
  const asset = [stylesheet(), script()].find(({ path }) => path.endsWith(`/${name}`))
  return asset === undefined
    ? messagePage(404, texts.noSuchAsset.title, texts.noSuchAsset.text)
    : HttpServerResponse.text(asset.text, { contentType: asset.contentType, headers: kept })
})

export const servedPaths: ReadonlyArray<ServedPath> = [
  { method: "GET", path: "/" },
  { method: "GET", path: "/ui/assets/:name" },
  { method: "GET", path: iconPath }
]

export const layer = HttpRouter.addAll([
  HttpRouter.route("GET", "/", seeOther("/ui/")),
  HttpRouter.route("GET", "/ui/assets/:name", serveAsset),
  HttpRouter.route("GET", iconPath, icon)
])
