/**
 * The head and the connection of a request, from a `node:http` server or from a program that embeds the daemon.
 *
 * The guard decides from both. A server that passes a request to the daemon must register its connection; the guard
 * refuses a request without one.
 */
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as Http from "node:http"
import type * as Net from "node:net"
import type { ReceivedHead } from "./Guard.ts"

interface Connection {
  readonly socket: Net.Socket
  /** False if the connection also serves another program, so that a refusal must not reset it. */
  readonly isOwn: boolean
  /** Whether the connection came through the reverse proxy's socket, whose file permissions have admitted it. */
  readonly isFront?: boolean
}

const connections = new WeakMap<object, Connection>()

/** Registers the connection of a `node:http` request or of a web `Request`. */
export const setConnection = (source: object, connection: Connection): void => void connections.set(source, connection)

/** Returns the connection of a request, or undefined if the server has not registered it. */
export const connectionOf = ({ source }: HttpServerRequest.HttpServerRequest): Connection | undefined =>
  connections.get(source)

/**
 * The head of a web request. A `Request` has no raw header fields: it joins the values of repeated fields, and the guard refuses
 * the joined values, too.
 */
const headOfWeb = (request: Request): ReceivedHead => {
  const { host, pathname, search } = new URL(request.url)
  const rawHeaders = [...request.headers].flat()
  return {
    method: request.method,
    target: `${pathname}${search}`,
    rawHeaders: request.headers.has("host") ? rawHeaders : ["host", host, ...rawHeaders],
    httpVersion: "1.1"
  }
}

const isWeb = (source: object): source is Request => !("rawHeaders" in source)

export const headOf = ({ source }: HttpServerRequest.HttpServerRequest): ReceivedHead => {
  if (isWeb(source)) return headOfWeb(source)
  const { httpVersion, method = "", rawHeaders, url = "" } = source as Http.IncomingMessage
  return { method, target: url, rawHeaders, httpVersion }
}

/** Whether the length of the body is unknown and unlimited. Only `node:http` limits the bytes that are read. */
export const isUnlimited = ({ source }: HttpServerRequest.HttpServerRequest): boolean =>
  isWeb(source) && source.body !== null && !source.headers.has("content-length")
