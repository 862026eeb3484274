/** Serves the daemon below a path of its server, if `CREDSVC_SERVER_BASE_URL` has a path. */
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Instance } from "./Instance.ts"

/**
 * Removes the mount path from a target. Targets without it are valid too: reverse proxies may remove it, and programs on
 * this machine do not send it.
 */
export const withoutMountPath = (mountPath: string, target: string): string => {
  if (mountPath === "" || !target.startsWith(mountPath)) return target
  const rest = target.slice(mountPath.length)
  if (rest === "" || rest.startsWith("?")) return `/${rest}`
  return rest.startsWith("/") ? rest : target
}

/**
 * Matches attributes that contain a path of this daemon. It never matches a value in a page, because the template of
 * the pages escapes quotation marks in values.
 */
const ownPath = / (href|action|src|data-events|data-login)="\/(?!\/)/g

const ownLocation = /^\/(?!\/)/

/** Adds the mount path to the links, forms, scripts and redirects of a response. */
const belowMountPath = (
  mountPath: string,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const { body, headers: { location } } = response
  if (location !== undefined && ownLocation.test(location)) {
    return HttpServerResponse.setHeader(response, "location", `${mountPath}${location}`)
  }
  if (body._tag !== "Uint8Array" || !body.contentType.startsWith("text/html")) return response
  const page = new TextDecoder().decode(body.body).replace(ownPath, ` $1="${mountPath}/`)
  return HttpServerResponse.setBody(response, HttpBody.text(page, body.contentType))
}

/** The middleware of page routes, for links that begin at the root of the daemon. */
export const pagesBelowMountPath = HttpRouter.middleware(
  Effect.map(
    Instance,
    ({ mountPath }) => (page) =>
      mountPath === "" ? page : Effect.map(page, (response) => belowMountPath(mountPath, response))
  )
)
