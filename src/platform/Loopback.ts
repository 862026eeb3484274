/** Literal loopback addresses. Pure. */

/**
 * Whether a host is `127.0.0.0/8` or `::1`, written as the URL parser writes it, in brackets or not. A name is never literal:
 * `localhost` is whatever the resolver says.
 */
export const isLoopbackLiteral = (host: string): boolean =>
  host === "::1" || host === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)

/** Whether a host is a literal loopback address or `localhost`. */
export const isLoopback = (host: string): boolean => isLoopbackLiteral(host) || host === "localhost"
