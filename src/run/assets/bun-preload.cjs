// @ts-check
/**
 * Loaded by `BUN_OPTIONS=--preload` into every Bun process of the run. Bun's `WebSocket` accepts a proxy as an option
 * but ignores the environment.
 */
"use strict"

const installed = Symbol.for("credsvc.preload")
if ("Bun" in globalThis && !(installed in globalThis)) {
  Object.assign(globalThis, { [installed]: true })
  const env = process.env
  /** @param {string} host */
  const excluded = (host) =>
    (env.no_proxy || env.NO_PROXY || "").split(/[\s,]+/).some((entry) => {
      const name = entry.toLowerCase().replace(/^\*?\./, "")
      return entry === "*" || name !== "" && (host === name || host.endsWith("." + name))
    })
  /** @type {any} Bun's constructor takes other options than Node's. */
  const NativeWebSocket = globalThis.WebSocket
  class WebSocket extends NativeWebSocket {
    /**
     * @param {string | URL} url
     * @param {any} options
     */
    constructor(url, options) {
      const { hostname, protocol } = new URL(url)
      const proxy = protocol === "wss:" ? env.wss_proxy || env.https_proxy : env.ws_proxy || env.http_proxy
      const given = typeof options === "string" || Array.isArray(options) ? { protocols: options } : options
      if (!proxy || excluded(hostname.replace(/^\[|\]$/g, "")) || given && given.proxy) super(url, options)
      else super(url, { ...given, proxy })
    }
  }
  Object.assign(globalThis, { WebSocket })
}
