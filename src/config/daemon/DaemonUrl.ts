/** The base URL of a daemon, which may be below a path of its server. */

/** The path of a base URL: empty, or without a trailing slash. */
export const mountPathOf = ({ pathname }: URL): string => pathname.replace(/\/$/, "")

/** The text of a base URL, without a trailing slash. */
export const baseUrlText = (url: URL): string => `${url.origin}${mountPathOf(url)}`

/**
 * Tells whether a path needs no encoding in a request target, in HTML and in a URL, because reverse proxies rewrite all three.
 */
export const isMountPath = (path: string): boolean => /^(?:\/[A-Za-z0-9_~.-]+)*$/.test(path)

/** The addresses at which clients reach a daemon that listens on every address. */
const loopback: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" }

/** The URL by which a client reaches a daemon that listens on `host`. */
export const daemonUrl = (host: string, port: number): URL => {
  const reachable = loopback[host] ?? host
  return new URL(`http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`)
}
