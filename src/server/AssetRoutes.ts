/** What the pages are made of beside their text, and the way to the first of them. */
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { ServedPath } from "./FrontDoor.ts"
import { icon, iconPath, seeOther } from "./Pages.ts"
import { stylesheet, stylesheetPath } from "./Stylesheet.ts"

export const servedPaths: ReadonlyArray<ServedPath> = [
  { method: "GET", path: "/" },
  { method: "GET", path: stylesheetPath },
  { method: "GET", path: iconPath },
  { method: "GET", path: "/favicon.ico" }
]

export const layer = HttpRouter.addAll([
  HttpRouter.route("GET", "/", seeOther("/ui/")),
  HttpRouter.route("GET", stylesheetPath, HttpServerResponse.text(stylesheet, { contentType: "text/css" })),
  HttpRouter.route("GET", iconPath, icon),
  // Asked for by browsers where a page names no icon, as the documentation does not.
  HttpRouter.route("GET", "/favicon.ico", icon)
])
