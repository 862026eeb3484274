/**
 * The loopback origins that only this daemon serves, not those of a proxy or of a program that embeds the daemon.
 *
 * A server of another user can have the same origin in the browser if it listened on the port earlier, or listens on the other
 * address of `localhost`. These functions delete what such a server stored, and redirect `localhost` to the daemon's address.
 */
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { connectionOf, headOf } from "./IncomingRequest.ts"
import type { Instance } from "./Instance.ts"
import { refusalResponse } from "./ProblemResponses.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Deletes service workers that another server left in the browser. */
const cleaningHeaders = { "clear-site-data": "\"storage\"" }

type Site = Pick<Instance["Service"], "authorities" | "baseUrl" | "host" | "port">

export const ownOrigins = ({ authorities, baseUrl, host, port }: Site) => {
  const names = ["127.0.0.1", "[::1]"].map((name) => `${name}:${port}`)
  const shared = `localhost:${port}`
  const held = names.filter((name) => authorities.has(name))

  /**
   * The address on which the daemon listens. Undefined if it listens on both loopback addresses, or if the user has chosen a base
   * URL with `localhost`.
   */
  const addressOf = (request: Request): string | undefined => {
    if (host !== "localhost") return held.length === 1 && baseUrl !== `http://${shared}` ? held[0] : undefined
    return names[connectionOf(request)?.socket.localAddress === "::1" ? 1 : 0]
  }

  const isOfBrowser = (request: Request): boolean =>
    request.headers["sec-fetch-site"] !== undefined && [...names, shared].includes(request.headers["host"] ?? "") &&
    connectionOf(request)?.isOwn === true

  return {
    headers: (request: Request): Readonly<Record<string, string>> => isOfBrowser(request) ? cleaningHeaders : {},

    /**
     * Redirects a browser from `localhost` to the address of the daemon, if it listens on one address only. Pages of a server on
     * the other address would have the same origin as the daemon's pages.
     */
    elsewhere: (request: Request): HttpServerResponse.HttpServerResponse | undefined => {
      const address = addressOf(request)
      if (address === undefined || request.headers["host"] !== shared || !isOfBrowser(request)) return undefined
      const origin = `http://${address}`
      return request.headers["sec-fetch-mode"] === "navigate"
        ? HttpServerResponse.redirect(`${origin}${headOf(request).target}`, { status: 307 })
        : refusalResponse({ status: 403, detail: `In a browser, use the address ${origin} instead of localhost.` })
    }
  }
}
