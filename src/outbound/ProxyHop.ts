/**
 * Connects through a corporate proxy with CONNECT, or by SOCKS 5 (RFC 1928). The proxy is not trusted: TLS is verified inside
 * the tunnel as usual.
 */
import type * as Http from "node:http"
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import { PROXY_FORMS, proxyUrl } from "../config/ProxyAddress.ts"
import { uriDecoded } from "../domain/text/PercentEncoding.ts"
import { builtins } from "../platform/builtins.ts"
import { type Authority, formatAuthority } from "./Authority.ts"
import { describeError, DialError } from "./DialError.ts"

/** Decodes the percent-encoding of a name or password. Text with a percent sign that begins no escape is used as it is. */
const decodedUserinfo = (text: string): string => uriDecoded(text) ?? text

interface HopOptions {
  readonly timeout: number
  readonly secureContext: () => Tls.SecureContext
}

/** Whether the proxy gets addresses instead of names. */
export const needsAddress = (proxy: string): boolean => /^socks5:/i.test(proxy)

const throughSocks = async (url: URL, target: Authority, { timeout }: HopOptions): Promise<Net.Socket> => {
  const { SocksClient } = await import("socks")
  const user = url.username === ""
    ? {}
    : { userId: decodedUserinfo(url.username), password: decodedUserinfo(url.password) }
  try {
    const { socket } = await SocksClient.createConnection({
      command: "connect",
      proxy: { host: hostOf(url), port: url.port === "" ? 1080 : Number(url.port), type: 5, ...user },
      destination: { host: target.host, port: target.port },
      timeout,
      set_tcp_nodelay: true
    })
    return socket
  } catch (error) {
    const reason = describeError(error)
    throw new DialError("hop", `cannot reach ${formatAuthority(target)} through the proxy ${url.host} (${reason})`)
  }
}

export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "")

/** Connects to a target through a proxy. */
export const connectThrough = (proxy: string, target: Authority, options: HopOptions): Promise<Net.Socket> => {
  const url = proxyUrl(proxy)
  // The settings were checked when they were read.
  if (url === undefined) {
    return Promise.reject(new DialError("hop", `invalid proxy address: expected ${PROXY_FORMS}`))
  }
  return url.protocol.startsWith("socks") ? throughSocks(url, target, options) : throughHttp(url, target, options)
}

const throughHttp = (url: URL, target: Authority, options: HopOptions): Promise<Net.Socket> =>
  new Promise((resolve, reject) => {
    const secure = url.protocol === "https:"
    const where = formatAuthority(target)
    const credential = url.username === ""
      ? {}
      : {
        "proxy-authorization": "Basic " +
          Buffer.from(`${decodedUserinfo(url.username)}:${decodedUserinfo(url.password)}`).toString("base64")
      }
    const request = (secure ? builtins.https : builtins.http).request({
      host: hostOf(url),
      port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
      method: "CONNECT",
      path: where,
      headers: { host: where, ...credential },
      agent: false,
      timeout: options.timeout,
      ...(secure ? { secureContext: options.secureContext(), rejectUnauthorized: true } : {})
    })
    request.once("timeout", () => request.destroy(new Error("timeout")))
    request.once("error", (error) => {
      reject(new DialError("hop", `cannot connect through the proxy ${url.host} (${describeError(error)})`))
    })
    const refused = (response: Http.IncomingMessage, connection: { readonly destroy: () => unknown }): void => {
      connection.destroy()
      reject(new DialError("hop", `the proxy ${url.host} responded with ${response.statusCode} to CONNECT ${where}`))
    }
    request.once("response", (response) => refused(response, response))
    request.once("connect", (response, socket, head) => {
      if (response.statusCode !== 200) return refused(response, socket)
      socket.setTimeout(0)
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    request.end()
  })
