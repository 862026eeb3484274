/** Reads the first TLS message of a client (RFC 8446 section 4.1.2). */

export const TLS_HANDSHAKE = 0x16

const SERVER_NAME = 0
const ALPN = 16

const protocolsIn = (list: Buffer): ReadonlyArray<string> => {
  const protocols: Array<string> = []
  for (let at = 2; at < list.length; at += 1 + list.readUInt8(at)) {
    protocols.push(list.toString("latin1", at + 1, at + 1 + list.readUInt8(at)))
  }
  return protocols
}

/**
 * Reads the server name and the ALPN protocols, in order of preference, of a ClientHello (RFC 8446 section 4.1.2); `undefined` if it is
 * incomplete or invalid.
 */
export const readClientHello = (bytes: Buffer) => {
  try {
    if (bytes[0] !== TLS_HANDSHAKE || bytes[5] !== 1) return undefined
    let at = 5 + 4 + 2 + 32
    at += 1 + bytes.readUInt8(at) // session id
    at += 2 + bytes.readUInt16BE(at) // cipher suites
    at += 1 + bytes.readUInt8(at) // compression methods
    const end = at + 2 + bytes.readUInt16BE(at)
    if (end > bytes.length) return undefined
    at += 2
    let serverName: string | undefined
    let protocols: ReadonlyArray<string> = []
    while (at + 4 <= end) {
      const type = bytes.readUInt16BE(at)
      const body = bytes.subarray(at + 4, at + 4 + bytes.readUInt16BE(at + 2))
      if (type === SERVER_NAME) serverName = body.toString("latin1", 5, 5 + body.readUInt16BE(3))
      else if (type === ALPN) protocols = protocolsIn(body)
      at += 4 + body.length
    }
    return { serverName, protocols }
  } catch {
    return undefined
  }
}
