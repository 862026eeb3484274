/**
 * A file that `BUN_OPTIONS=--preload` loads into every Bun process of the run. Bun's `WebSocket` accepts a proxy as an option but
 * ignores the environment. The file is text for the same reasons as `NodePreload`.
 */
export const bunPreload = `"use strict"
// Written by credsvc run --hook bun, and removed with it.
const installed = Symbol.for("credsvc.preload")
if (typeof Bun !== "undefined" && !globalThis[installed]) {
  globalThis[installed] = true
  const env = process.env
  const excluded = (host) =>
    (env.no_proxy || env.NO_PROXY || "").split(/[\\s,]+/).some((entry) => {
      const name = entry.toLowerCase().replace(/^\\*?\\./, "")
      return entry === "*" || name !== "" && (host === name || host.endsWith("." + name))
    })
  const NativeWebSocket = globalThis.WebSocket
  globalThis.WebSocket = class WebSocket extends NativeWebSocket {
    constructor(url, options) {
      const { hostname, protocol } = new URL(url)
      const proxy = protocol === "wss:" ? env.wss_proxy || env.https_proxy : env.ws_proxy || env.http_proxy
      const given = typeof options === "string" || Array.isArray(options) ? { protocols: options } : options
      if (!proxy || excluded(hostname.replace(/^\\[|\\]$/g, "")) || given && given.proxy) super(url, options)
      else super(url, { ...given, proxy })
    }
  }
}
`
