/** Recognizes loopback addresses. */

/** Whether a host is an address in `127.0.0.0/8` or `::1`, with or without brackets. `localhost` is a name, not a literal. */
export const isLoopbackLiteral = (host: string): boolean =>
  host === "::1" || host === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)

export const isLoopback = (host: string): boolean => isLoopbackLiteral(host) || host === "localhost"

/** Whether the other end of a TCP connection is on this machine. */
export const isOfThisMachine = ({ remoteAddress = "" }: { readonly remoteAddress?: string | undefined }): boolean =>
  isLoopbackLiteral(remoteAddress.replace(/^::ffff:/i, ""))
