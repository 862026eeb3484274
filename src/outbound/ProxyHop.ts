/** Connects through a corporate proxy with CONNECT. The proxy is not trusted: TLS is verified inside the tunnel as usual. */
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import { builtins } from "../platform/builtins.ts"
import { type Authority, formatAuthority } from "./Authority.ts"
import { describe, DialError } from "./DialError.ts"

/** Whether a target matches a `no_proxy` list. Its entries are names or suffixes, with or without a port, or `*`. */
export const isBypassed = (entries: ReadonlyArray<string>, target: Authority): boolean =>
  entries.some((entry) => {
    const pattern = entry.trim().toLowerCase()
    if (pattern === "") return false
    if (pattern === "*") return true
    const port = /^(.+):(\d+)$/.exec(pattern)
    const host = port !== null && !port[1]?.includes(":") ? port[1] ?? "" : pattern
    if (port !== null && host !== pattern && Number(port[2]) !== target.port) return false
    const suffix = host.startsWith("*.") ? host.slice(1) : host
    return suffix.startsWith(".")
      ? target.host.endsWith(suffix) || target.host === suffix.slice(1)
      : target.host === suffix || target.host.endsWith("." + suffix)
  })

/** A percent sign that begins no escape stands for itself. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export interface HopOptions {
  readonly timeout: number
  readonly secureContext: () => Tls.SecureContext
}

export const connectThrough = (proxy: string, target: Authority, options: HopOptions): Promise<Net.Socket> =>
  new Promise((resolve, reject) => {
    const url = new URL(proxy)
    const secure = url.protocol === "https:"
    const where = formatAuthority(target)
    const credential = url.username === ""
      ? {}
      : {
        "proxy-authorization": "Basic " +
          Buffer.from(`${decoded(url.username)}:${decoded(url.password)}`).toString("base64")
      }
    const request = (secure ? builtins.https : builtins.http).request({
      host: url.hostname.replace(/^\[|\]$/g, ""),
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
      reject(new DialError("hop", `cannot connect through the proxy ${url.host} (${describe(error)})`))
    })
    request.once("response", (response) => {
      response.destroy()
      reject(new DialError("hop", `the proxy ${url.host} responded with ${response.statusCode} to CONNECT ${where}`))
    })
    request.once("connect", (response, socket, head) => {
      if (response.statusCode !== 200) {
        socket.destroy()
        reject(new DialError("hop", `the proxy ${url.host} responded with ${response.statusCode} to CONNECT ${where}`))
        return
      }
      socket.setTimeout(0)
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    request.end()
  })
