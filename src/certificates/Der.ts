/** Encodes the DER types that a certificate needs (X.690). */

export const raw = (tag: number, content: Uint8Array): Buffer => {
  const length = content.length
  const head = length < 0x80
    ? [tag, length]
    : length < 0x100
    ? [tag, 0x81, length]
    : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Uint8Array.from(head), content])
}

export const sequence = (...items: ReadonlyArray<Uint8Array>): Buffer => raw(0x30, Buffer.concat(items))
export const set = (...items: ReadonlyArray<Uint8Array>): Buffer => raw(0x31, Buffer.concat(items))
export const octets = (content: Uint8Array): Buffer => raw(0x04, content)
export const boolean = (value: boolean): Buffer => raw(0x01, Uint8Array.of(value ? 0xff : 0))
export const utf8 = (text: string): Buffer => raw(0x0c, Buffer.from(text, "utf8"))

/** Encodes a constructed value with the context-specific tag `[n]`. */
export const context = (number: number, ...items: ReadonlyArray<Uint8Array>): Buffer =>
  raw(0xa0 | number, Buffer.concat(items))

/** Encodes a primitive value with the implicit context-specific tag `[n]`. */
export const contextPrimitive = (number: number, content: Uint8Array): Buffer => raw(0x80 | number, content)

export const integer = (bytes: Uint8Array): Buffer => {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const magnitude = bytes.subarray(start)
  return raw(0x02, (magnitude[0] ?? 0) & 0x80 ? Buffer.concat([Uint8Array.of(0), magnitude]) : magnitude)
}

/** Encodes a bit string. `unused` is the number of unused bits in the last byte. */
export const bits = (content: Uint8Array, unused = 0): Buffer =>
  raw(0x03, Buffer.concat([Uint8Array.of(unused), content]))

export const oid = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number)
  const bytes = [first * 40 + second]
  for (const part of rest) {
    const base128 = [part & 0x7f]
    for (let left = part >>> 7; left > 0; left >>>= 7) base128.unshift((left & 0x7f) | 0x80)
    bytes.push(...base128)
  }
  return raw(0x06, Uint8Array.from(bytes))
}

/** Encodes a time as UTCTime up to 2049 and as GeneralizedTime afterwards, as RFC 5280 section 4.1.2.5 requires. */
export const time = (milliseconds: number): Buffer => {
  const digits = new Date(milliseconds).toISOString().replace(/[-:T]|\.\d+/g, "")
  return Number(digits.slice(0, 4)) < 2050
    ? raw(0x17, Buffer.from(digits.slice(2), "latin1"))
    : raw(0x18, Buffer.from(digits, "latin1"))
}

export const pem = (label: string, der: Uint8Array): string => {
  const lines = Buffer.from(der).toString("base64").match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`
}
