/** Recognizes literal loopback addresses. Pure. */

/**
 * Whether a host is in `127.0.0.0/8` or is `::1`, as serialized by the URL parser, with or without brackets. A name is
 * never literal: `localhost` is whatever the resolver returns.
 */
export const isLoopbackLiteral = (host: string): boolean =>
  host === "::1" || host === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)

/** Whether a host is a literal loopback address or `localhost`. */
export const isLoopback = (host: string): boolean => isLoopbackLiteral(host) || host === "localhost"
