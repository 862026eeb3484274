/** Serves the daemon below a path of its server: `CREDSVC_SERVER_BASE_URL` may have one. */
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Instance } from "./Instance.ts"

/**
 * The target without the mount path. A front server may keep the path or remove it, and programs on this machine send none,
 * so targets without it are valid too.
 */
export const withoutMountPath = (mountPath: string, target: string): string => {
  if (mountPath === "" || !target.startsWith(mountPath)) return target
  const rest = target.slice(mountPath.length)
  if (rest === "" || rest.startsWith("?")) return `/${rest}`
  return rest.startsWith("/") ? rest : target
}

/**
 * The attributes that name a path of this daemon. Only markup has an unescaped quotation mark, because the template of the
 * pages escapes those in values, so this never matches text from elsewhere.
 */
const ownPath = / (href|action|src|data-events|data-login)="\/(?!\/)/g

const ownLocation = /^\/(?!\/)/

/** The response with the mount path in front of its links, forms, scripts and redirects. */
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

/** Middleware of the routes of pages, whose links begin at the root of the daemon. */
export const pagesBelowMountPath = HttpRouter.middleware(
  Effect.map(
    Instance,
    ({ mountPath }) => (page) =>
      mountPath === "" ? page : Effect.map(page, (response) => belowMountPath(mountPath, response))
  )
)
