/**
 * Writes a certificate database of NSS, from which Chromium on Linux reads additional certificate authorities.
 *
 * The database is SQLite: a table of PKCS #11 objects with one column per attribute, named by the attribute's number. A trusted
 * authority consists of two objects: the certificate, and its trust settings. NSS adds missing columns.
 */
import * as fs from "node:fs"
import { builtins } from "../platform/builtins.ts"

const OBJECT = { certificate: 1, trust: 0xce534353 }
const TRUST = { authority: 0xce534352, asItsIssuer: 0xce534353 }

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const [no, yes] = [Uint8Array.of(0), Uint8Array.of(1)]

/** The elements of a DER sequence, with their tags and lengths. */
const elements = (sequence: Uint8Array): ReadonlyArray<Buffer> => {
  const found: Array<Buffer> = []
  /** The start and end of the content of the element at this offset. */
  const content = (at: number): readonly [number, number] => {
    const first = sequence[at + 1] ?? 0
    const bytes = first < 0x80 ? 0 : first & 0x7f
    const length = bytes === 0 ? first : Buffer.from(sequence).readUIntBE(at + 2, bytes)
    const begin = at + 2 + bytes
    return [begin, begin + length]
  }
  const [begin, end] = content(0)
  for (let at = begin; at < end; at = content(at)[1]) found.push(Buffer.from(sequence.subarray(at, content(at)[1])))
  return found
}

/** The certificate fields that NSS stores separately (RFC 5280 section 4.1). */
const fieldsOf = (der: Uint8Array) => {
  const [, serial, , issuer, , subject] = elements(elements(der)[0]!)
  return { serial: serial!, issuer: issuer!, subject: subject! }
}

/** Adds a trusted certificate authority to a database, which it creates if necessary. */
export const addAuthority = (file: string, der: Uint8Array): void => {
  const { issuer, serial, subject } = fieldsOf(der)
  const digest = (algorithm: string): Buffer => builtins.crypto.createHash(algorithm).update(der).digest()
  const common = {
    a1: yes, // CKA_TOKEN
    a2: no, // CKA_PRIVATE
    a170: no, // CKA_MODIFIABLE
    a81: issuer,
    a82: serial
  }
  const objects: ReadonlyArray<Readonly<Record<string, Uint8Array>>> = [
    {
      ...common,
      a0: uint32(OBJECT.certificate), // CKA_CLASS
      a3: Buffer.from("credsvc"), // CKA_LABEL
      a11: der, // CKA_VALUE
      a80: uint32(0), // CKA_CERTIFICATE_TYPE: X.509
      a101: subject,
      a102: digest("sha1") // CKA_ID
    },
    {
      ...common,
      a0: uint32(OBJECT.trust), // CKA_CLASS
      ace536358: uint32(TRUST.authority), // for servers
      ace536359: uint32(TRUST.asItsIssuer), // for clients
      ace53635a: uint32(TRUST.asItsIssuer), // for code
      ace53635b: uint32(TRUST.asItsIssuer), // for mail
      ace536360: no, // CKA_TRUST_STEP_UP_APPROVED
      ace5363b4: digest("sha1"), // CKA_CERT_SHA1_HASH
      ace5363b5: digest("md5") // CKA_CERT_MD5_HASH
    }
  ]
  const columns = [...new Set(objects.flatMap((object) => Object.keys(object)))]
  fs.closeSync(fs.openSync(file, "a", 0o600))
  const database = new builtins.sqlite.DatabaseSync(file)
  try {
    // The file is a copy, so it need not survive a crash. Waiting for the disk would take most of the time.
    database.exec("PRAGMA synchronous = OFF")
    database.exec(
      `CREATE TABLE IF NOT EXISTS nssPublic (id PRIMARY KEY UNIQUE ON CONFLICT ABORT, ${columns.join(", ")})`
    )
    for (const object of objects) {
      const names = Object.keys(object)
      database.prepare(
        `INSERT INTO nssPublic (id, ${names.join(", ")}) VALUES (?${", ?".repeat(names.length)})`
      ).run(builtins.crypto.randomBytes(4).readUInt32BE() & 0x3fffffff, ...Object.values(object))
    }
  } finally {
    database.close()
  }
}
