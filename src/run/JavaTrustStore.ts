/**
 * Writes a Java trust store in JKS format.
 *
 * Every JVM reads certificates from JKS without a password; a PKCS #12 store would need one in a system property.
 */
import { builtins } from "../platform/builtins.ts"

const MAGIC = 0xfeedfeed
const VERSION = 2
const TRUSTED_CERTIFICATE = 2
/** The conventional password. It is not a secret: the digest serves only as a checksum. */
const PASSWORD = "changeit"

/** Overrides the type and password that other JVM options set for another trust store. */
export const OPTIONS = `-Djavax.net.ssl.trustStoreType=jks -Djavax.net.ssl.trustStorePassword=${PASSWORD}`

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

const utf = (text: string): Buffer => {
  const bytes = Buffer.from(text, "utf8")
  return Buffer.concat([Uint8Array.of(bytes.length >> 8, bytes.length & 0xff), bytes])
}

export const make = (certificates: ReadonlyArray<Uint8Array>, now = Date.now()): Buffer => {
  const date = Buffer.alloc(8)
  date.writeBigInt64BE(BigInt(now))
  const parts: Array<Uint8Array> = [uint32(MAGIC), uint32(VERSION), uint32(certificates.length)]
  for (const [index, der] of certificates.entries()) {
    parts.push(uint32(TRUSTED_CERTIFICATE), utf(`credsvc-${index}`), date, utf("X.509"), uint32(der.length), der)
  }
  const body = Buffer.concat(parts)
  const digest = builtins.crypto.createHash("sha1")
    .update(Buffer.from(PASSWORD, "utf16le").swap16())
    .update("Mighty Aphrodite")
    .update(body)
    .digest()
  return Buffer.concat([body, digest])
}
