/**
 * Which requests this daemon serves at all, decided from the request line and the headers alone.
 *
 * No route asks for a token, so this is what stands between a web page and the secrets. A page can make a browser send
 * almost anything to a loopback port; what it cannot do is choose `Host`, `Origin` and `Sec-Fetch-Site`. The decision
 * reads the headers as they arrived, because Node's parsed ones keep the first of two `Host` lines without a word.
 */

/** What is known of a request before its body is read. */
export interface RequestHead {
  readonly method: string
  /** As on the request line: neither decoded nor normalised. */
  readonly target: string
  /** Names and values in turn, as received. */
  readonly rawHeaders: ReadonlyArray<string>
  readonly httpVersion: string
}

/** A refusal. `detail` is a constant: nothing of the request is repeated. `close` ends the connection with it. */
export interface Refusal {
  readonly status: 400 | 403 | 405 | 413 | 415 | 429 | 431
  readonly detail: string
  readonly allow?: string
  readonly close?: boolean
}

/** Our names, each with the origin that a page loaded from it has. */
export type Authorities = ReadonlyMap<string, string>

export const maxJsonBytes = 1024 * 1024
export const maxFormBytes = 64 * 1024
const maxHeaders = 100

const methods = new Set(["GET", "HEAD", "POST", "DELETE"])
const allow = "GET, HEAD, POST, DELETE"

const loopbackNames: Readonly<Record<string, ReadonlyArray<string>>> = {
  "127.0.0.1": ["127.0.0.1", "localhost"],
  localhost: ["localhost", "127.0.0.1", "[::1]"],
  "0.0.0.0": ["127.0.0.1", "localhost"],
  "::1": ["[::1]", "localhost"],
  "::": ["[::1]", "127.0.0.1", "localhost"]
}

/**
 * Names of a listener on the address `host`. Beside the literal loopback addresses only the name in
 * `CREDSVC_SERVER_BASE_URL` counts: never a wildcard address, which browsers reach without telling where they come from.
 */
export const authoritiesOf = (host: string, port: number, baseUrl: URL | undefined): Authorities => {
  const loopback = loopbackNames[host] ?? (host.startsWith("127.") ? [host] : [])
  const authorities = new Map(
    loopback.flatMap((name) => {
      const entry: [string, string] = [`${name}:${port}`, `http://${name}:${port}`]
      // A browser leaves out the default port, in `Host` and in `Origin`.
      return port === 80 ? [entry, [name, `http://${name}`] as [string, string]] : [entry]
    })
  )
  if (baseUrl !== undefined) {
    authorities.set(baseUrl.host, baseUrl.origin)
    if (baseUrl.port === "") {
      authorities.set(`${baseUrl.host}:${baseUrl.protocol === "https:" ? 443 : 80}`, baseUrl.origin)
    }
  }
  return authorities
}

/** Pages that another site may link to. Anything that is not exactly one of these gets no exception. */
const page =
  /^\/(?:auth\/callback\/oauth|auth\/sessions\/[A-Za-z0-9_-]{43}\/(?:input|device)|docs|ui\/(?:connections|audit|settings|apps(?:\/[a-z0-9][a-z0-9._-]{0,63})?)?)(?:\?[^#]*)?$/

/** Routes that take a form. All others take JSON. */
const form =
  /^\/(?:auth\/sessions\/[A-Za-z0-9_-]{43}\/input|ui\/apps\/[a-z0-9][a-z0-9._-]{0,63}\/(?:[A-Za-z0-9._@-]{1,64}\/)?(?:check|connect|disconnect|default|revoke))$/

const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i
const formType = /^application\/x-www-form-urlencoded[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i

const refuse = (status: Refusal["status"], detail: string, more: Partial<Refusal> = {}): Refusal => ({
  status,
  detail,
  ...more
})

// The router begins the query at `;` and `#` as well as at `?`. Nobody else does, so such a target is not served.
const twoReadings = /^[^?]*;|#/

const foreignHost = refuse(403, "The Host header does not name this daemon.")
const foreignOrigin = refuse(403, "This daemon does not answer requests made by other sites.")

/** The refusal of this request, or undefined when it may go on to the router. */
export const decide = (head: RequestHead, authorities: Authorities): Refusal | undefined => {
  const { httpVersion, method, rawHeaders, target } = head
  let host: string | undefined
  let origin: string | undefined
  let site: string | undefined
  let mode: string | undefined
  let destination: string | undefined
  let type: string | undefined
  let length: string | undefined
  let chunked = false
  let upgrade = false
  let encoded = false
  let repeated = false

  for (let at = 0; at < rawHeaders.length; at += 2) {
    const value = rawHeaders[at + 1] ?? ""
    switch (rawHeaders[at]?.toLowerCase()) {
      case "host":
        if (host !== undefined) return refuse(400, "There is more than one Host header.", { close: true })
        host = value.toLowerCase()
        break
      case "origin":
        repeated ||= origin !== undefined
        origin = value
        break
      case "sec-fetch-site":
        repeated ||= site !== undefined
        site = value
        break
      case "sec-fetch-mode":
        repeated ||= mode !== undefined
        mode = value
        break
      case "sec-fetch-dest":
        repeated ||= destination !== undefined
        destination = value
        break
      case "content-type":
        repeated ||= type !== undefined
        type = value
        break
      case "content-length":
        length = value
        break
      case "transfer-encoding":
        chunked = true
        break
      case "content-encoding":
        encoded = true
        break
      case "upgrade":
        upgrade = true
        break
    }
  }

  if (host === undefined) return refuse(400, "There is no Host header.", { close: true })
  if (!target.startsWith("/")) return refuse(400, "The request target must be a path.", { close: true })
  if (twoReadings.test(target)) {
    return refuse(400, "The path holds a character that paths here do not.", { close: true })
  }
  const ownOrigin = authorities.get(host)
  if (ownOrigin === undefined) return foreignHost
  if (rawHeaders.length > maxHeaders * 2) return refuse(431, "There are too many headers.", { close: true })
  if (repeated) return refuse(400, "A header that may occur once occurs twice.", { close: true })

  const navigation = method === "GET" && mode === "navigate" && destination === "document" && page.test(target)
  if (origin !== undefined && origin !== ownOrigin) {
    // A page with a referrer policy of `no-referrer` sends `null` to itself; so do sandboxed frames to everybody.
    if (origin !== "null" || site !== "same-origin") return foreignOrigin
  }
  if (site !== undefined && site !== "same-origin" && site !== "none" && !navigation) return foreignOrigin

  if (upgrade) return refuse(405, "This daemon does not switch protocols.", { allow, close: true })
  if (!methods.has(method)) {
    return refuse(405, "This method is not served.", { allow, close: method !== "OPTIONS" })
  }

  const hasBody = chunked || (length !== undefined && Number(length) !== 0)
  if (!hasBody) return undefined
  if (method === "GET" || method === "HEAD") return refuse(400, "This method has no body.", { close: true })
  if (chunked && httpVersion === "1.0") return refuse(400, "HTTP/1.0 has no transfer encoding.", { close: true })
  const asForm = form.test(target)
  if (length !== undefined && Number(length) > (asForm ? maxFormBytes : maxJsonBytes)) {
    return refuse(413, "The body is too large.", { close: true })
  }
  if (encoded || type === undefined || !(asForm ? formType : jsonType).test(type)) {
    return refuse(
      415,
      asForm
        ? "The body must be a form: Content-Type application/x-www-form-urlencoded."
        : "The body must be JSON: Content-Type application/json.",
      { close: true }
    )
  }
  return undefined
}

/**
 * Whether a browser may be given a secret for this request: only a script of our own pages, or a caller that is no
 * browser. A link or a bookmark (`none`) is not enough.
 */
export const mayReveal = (rawHeaders: ReadonlyArray<string>): boolean => {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === "sec-fetch-site" && rawHeaders[at + 1] !== "same-origin") return false
  }
  return true
}
