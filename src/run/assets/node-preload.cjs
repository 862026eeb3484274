// @ts-check
/**
 * Loaded by `NODE_OPTIONS=--require` into every Node process of the run, which has removed this file when it ends.
 *
 * Node before 22.21 has no proxy support, and later versions support it only for libraries that use the default agents.
 * The file therefore replaces `tls.connect`, on which all HTTP libraries are based: a connection to one of the run's
 * ports of another machine goes through the proxy, unless the caller provides a socket. For `run --hook chromium` the
 * file also sets the prepared home directory for browsers that are started under remote control. It must run on Node
 * 18.
 */
"use strict"

const installed = Symbol.for("credsvc.preload")
if (!(installed in globalThis)) {
  Object.assign(globalThis, { [installed]: true })
  const net = require("net")
  const { Duplex } = require("stream")
  const tls = require("tls")
  /** @type {ReadonlyArray<number>} */
  const ports = require(`${__dirname}/credsvc-ports.json`)

  const emitWarning = process.emitWarning
  /** @param {Array<any>} args */
  process.emitWarning = function(...args) {
    const [warning] = args
    if (/EnvHttpProxyAgent is experimental/.test(String(warning && warning.message || warning))) return
    return Reflect.apply(emitWarning, this, args)
  }

  const proxyOf = () => {
    try {
      const url = new URL(process.env.https_proxy || process.env.HTTPS_PROXY || "")
      return url.protocol === "http:" ? url : undefined
    } catch {
      return undefined
    }
  }

  /**
   * @param {string} host
   * @param {number} port
   */
  const excluded = (host, port) =>
    (process.env.no_proxy || process.env.NO_PROXY || "").split(/[\s,]+/).some((entry) => {
      if (entry === "") return false
      if (entry === "*") return true
      const [, name = "", only] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) || []
      if (only !== undefined && name !== "" && !name.includes(":") && Number(only) !== port) return false
      const suffix = name.replace(/^\*?\./, "")
      return host === suffix || (host.endsWith("." + suffix) && suffix !== "")
    })

  /** @param {string} host */
  const isLoopback = (host) =>
    host === "localhost" || host.endsWith(".localhost") || host.startsWith("127.") || host === "::1" || host === "[::1]"

  class Tunnel extends Duplex {
    /**
     * @param {URL} proxy
     * @param {string} host
     * @param {number} port
     */
    constructor(proxy, host, port) {
      super({ allowHalfOpen: true })
      this.open = false
      /** @type {Array<() => void>} */
      this.waiting = []
      this.raw = net.connect({ host: proxy.hostname.replace(/^\[|\]$/g, ""), port: Number(proxy.port || 80) })
      this.raw.setNoDelay(true)
      this.raw.on("error", (error) => this.destroy(error))
      this.raw.on("close", () => this.destroy())
      const where = (net.isIPv6(host) ? "[" + host + "]" : host) + ":" + port
      const user = proxy.username === "" ? "" : "Proxy-Authorization: Basic " +
        Buffer.from(decodeURIComponent(proxy.username) + ":" + decodeURIComponent(proxy.password)).toString("base64") +
        "\r\n"
      this.raw.write("CONNECT " + where + " HTTP/1.1\r\nHost: " + where + "\r\n" + user + "\r\n")
      let received = Buffer.alloc(0)
      /** @param {Buffer} chunk */
      const read = (chunk) => {
        received = Buffer.concat([received, chunk])
        const end = received.indexOf("\r\n\r\n")
        if (end === -1 && received.length < 65536) return
        const head = received.toString("latin1", 0, Math.max(end, 0))
        const status = Number((/^HTTP\/1\.[01] (\d{3})/.exec(head) || [])[1])
        if (status !== 200) {
          const length = Number((/\r\ncontent-length: *(\d+)/i.exec(head) || [])[1] || 0)
          if (received.length < end + 4 + length) return
          const said = received.toString("utf8", end + 4).trim() || head.split("\r\n")[0]
          this.destroy(new Error("credsvc proxy refused " + where + " (" + status + "): " + said))
          return
        }
        this.raw.off("data", read)
        this.open = true
        this.raw.on("data", (bytes) => {
          if (!this.push(bytes)) this.raw.pause()
        })
        this.raw.on("end", () => this.push(null))
        if (received.length > end + 4) this.push(received.subarray(end + 4))
        for (const run of this.waiting.splice(0)) run()
      }
      this.raw.on("data", read)
    }
    /** @override */
    _read() {
      if (this.open) this.raw.resume()
    }
    /** @override @type {Duplex["_write"]} */
    _write(chunk, encoding, done) {
      if (this.open) this.raw.write(chunk, encoding, done)
      else this.waiting.push(() => this.raw.write(chunk, encoding, done))
    }
    /** @override @type {Duplex["_final"]} */
    _final(done) {
      if (this.open) this.raw.end(done)
      else this.waiting.push(() => this.raw.end(done))
    }
    /** @override @type {Duplex["_destroy"]} */
    _destroy(error, done) {
      this.raw.destroy()
      done(error)
    }
  }

  /** @type {Function} */
  const connect = tls.connect
  /** @param {Array<any>} args */
  tls.connect = function(...args) {
    const callback = typeof args[args.length - 1] === "function" ? args.pop() : undefined
    /** @type {Record<string, any>} */
    const options = {}
    for (const [at, value] of args.entries()) {
      if (value !== null && typeof value === "object") Object.assign(options, value)
      else if (at === 0 && value !== undefined) options.port = value
      else if (typeof value === "string") options.host = value
    }
    const host = String(options.host || "localhost").toLowerCase()
    const port = Number(options.port)
    const proxy = proxyOf()
    if (
      proxy === undefined || !ports.includes(port) || options.socket || options.path && !options.host ||
      isLoopback(host) || excluded(host, port)
    ) {
      return connect.apply(this, callback === undefined ? args : [...args, callback])
    }
    const tunnel = new Tunnel(proxy, host, port)
    const secure = connect.call(this, { ...options, socket: tunnel }, callback)
    // Idle connections are unreferenced so that the process can exit. That must apply to the real socket.
    const { ref, unref } = secure
    secure.ref = function() {
      tunnel.raw.ref()
      return ref.call(this)
    }
    secure.unref = function() {
      tunnel.raw.unref()
      return unref.call(this)
    }
    return secure
  }

  // Playwright (also its Python version, which runs Node) and Puppeteer start browsers under remote control.
  const home = process.env.CREDSVC_BROWSER_HOME
  if (home) {
    /** @type {any} `spawn` is undocumented, so Node's types lack it. */
    const { prototype } = require("child_process").ChildProcess
    const start = prototype.spawn
    /** @param {{ readonly args?: Array<string>, readonly envPairs?: Array<string> }} options */
    prototype.spawn = function(options) {
      const { args, envPairs } = options
      /** @param {string} arg */
      const controls = (arg) => /^--remote-debugging-(pipe|port)/.test(arg)
      if (!Array.isArray(envPairs) || !Array.isArray(args) || !args.some(controls)) return start.call(this, options)
      const inherited = "HOME=" + process.env.HOME
      return start.call(this, {
        ...options,
        envPairs: envPairs.map((pair) => pair === inherited ? "HOME=" + home : pair)
      })
    }
  }
}
