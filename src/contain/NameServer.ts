/**
 * A DNS server that resolves every name except `localhost` to one address (RFC 1035).
 *
 * In a contained run, this address accepts the connections of programs that use no proxy. No query leaves the machine, so a name
 * cannot carry data out.
 */

const HEADER_BYTES = 12
const TYPE_A = 1
const CLASS_IN = 1
const TTL_SECONDS = 60

const LOCALHOST = [127, 0, 0, 1]

/** The end of the question's name, and the name in lower case; undefined if the name is invalid. */
const readName = (query: Buffer): { readonly end: number; readonly name: string } | undefined => {
  const labels: Array<string> = []
  let at = HEADER_BYTES
  while (at < query.length) {
    const length = query[at]!
    if (length === 0) return { end: at + 1, name: labels.join(".").toLowerCase() }
    // Queries contain no compression.
    if (length > 63) return undefined
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return undefined
}

/**
 * The reply to a query: an A record with the address, and no records of other types. `undefined` for anything but a
 * query with one question.
 */
export const replyTo = (query: Buffer, address: string): Buffer | undefined => {
  if (query.length < HEADER_BYTES || (query[2]! & 0xf8) !== 0 || query.readUInt16BE(4) !== 1) return undefined
  const question = readName(query)
  if (question === undefined || query.length < question.end + 4) return undefined
  const { end, name } = question
  const isAddress = query.readUInt16BE(end) === TYPE_A && query.readUInt16BE(end + 2) === CLASS_IN
  const header = Buffer.alloc(HEADER_BYTES)
  query.copy(header, 0, 0, 2)
  header[2] = 0x84 | (query[2]! & 1) // a response, authoritative; recursion desired as in the query
  header[3] = 0x80 // recursion available
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(isAddress ? 1 : 0, 6)
  const parts = [header, query.subarray(HEADER_BYTES, end + 4)]
  if (isAddress) {
    const record = Buffer.alloc(12)
    record.writeUInt16BE(0xc000 | HEADER_BYTES, 0) // the name of the question
    record.writeUInt16BE(TYPE_A, 2)
    record.writeUInt16BE(CLASS_IN, 4)
    record.writeUInt32BE(TTL_SECONDS, 6)
    record.writeUInt16BE(4, 10)
    const isLocal = name === "localhost" || name.endsWith(".localhost")
    parts.push(record, Buffer.from(isLocal ? LOCALHOST : address.split(".").map(Number)))
  }
  return Buffer.concat(parts)
}
