/** Certificates for test servers, from their own authority, which no machine trusts. */
import type * as Crypto from "node:crypto"
import * as Der from "../../src/certificates/Der.ts"
import { builtins } from "../../src/platform/builtins.ts"

const HOUR = 3_600_000

export interface TestCertificate {
  readonly cert: string
  readonly key: string
}

const name = (text: string) => Der.sequence(Der.set(Der.sequence(Der.oid("2.5.4.3"), Der.utf8(text))))
const extension = (oid: string, critical: boolean, value: Der.Der) =>
  Der.sequence(Der.oid(oid), ...(critical ? [Der.boolean(true)] : []), Der.octets(value))

const spkiOf = (key: Crypto.KeyObject) => Der.fromBytes(key.export({ type: "spki", format: "der" }))

const identifier = (spki: Der.Der) =>
  builtins.crypto.createHash("sha1").update(spki.slice(-65), "latin1").digest("binary")

const certificate = (fields: {
  readonly issuer: string
  readonly subject: string
  readonly spki: Der.Der
  readonly key: Crypto.KeyObject
  readonly notBefore: number
  readonly notAfter: number
  readonly extensions: ReadonlyArray<Der.Der>
}) => {
  const algorithm = Der.sequence(Der.oid("1.2.840.10045.4.3.2"))
  const tbs = Der.sequence(
    Der.context(0, Der.integer(Der.byte(2))),
    Der.integer(Der.byte(0x55) + Der.fromBytes(builtins.crypto.randomBytes(15))),
    algorithm,
    name(fields.issuer),
    Der.sequence(Der.time(fields.notBefore), Der.time(fields.notAfter)),
    name(fields.subject),
    fields.spki,
    Der.context(3, Der.sequence(...fields.extensions))
  )
  return Der.pem(
    "CERTIFICATE",
    Der.sequence(tbs, algorithm, Der.bits(Der.fromBytes(builtins.crypto.sign("sha256", Der.toBytes(tbs), fields.key))))
  )
}

export const makeAuthority = (label = "credsvc test root") => {
  const root = builtins.crypto.generateKeyPairSync("ec", { namedCurve: "P-256" })
  const rootSpki = spkiOf(root.publicKey)
  const rootId = identifier(rootSpki)
  const caPem = certificate({
    issuer: label,
    subject: label,
    spki: rootSpki,
    key: root.privateKey,
    notBefore: Date.now() - 24 * HOUR,
    notAfter: Date.now() + 24 * HOUR,
    extensions: [
      extension("2.5.29.19", true, Der.sequence(Der.boolean(true))),
      extension("2.5.29.15", true, Der.bits(Der.byte(0x04), 2)),
      extension("2.5.29.14", false, Der.octets(rootId)),
      extension("2.5.29.35", false, Der.sequence(Der.contextPrimitive(0, rootId)))
    ]
  })
  return {
    caPem,
    issue: (
      names: ReadonlyArray<string>,
      options: { readonly notBefore?: number; readonly notAfter?: number; readonly selfSigned?: boolean } = {}
    ): TestCertificate => {
      const now = Date.now()
      const pair = builtins.crypto.generateKeyPairSync("ec", { namedCurve: "P-256" })
      const spki = spkiOf(pair.publicKey)
      const subject = names[0] ?? "test"
      const cert = certificate({
        issuer: options.selfSigned === true ? subject : label,
        subject,
        spki,
        key: options.selfSigned === true ? pair.privateKey : root.privateKey,
        notBefore: options.notBefore ?? now - HOUR,
        notAfter: options.notAfter ?? now + HOUR,
        extensions: [
          extension("2.5.29.15", true, Der.bits(Der.byte(0x80), 7)),
          extension("2.5.29.37", false, Der.sequence(Der.oid("1.3.6.1.5.5.7.3.1"))),
          extension(
            "2.5.29.17",
            false,
            Der.sequence(...names.map((dns) => Der.contextPrimitive(2, dns)))
          ),
          extension("2.5.29.14", false, Der.octets(identifier(spki))),
          extension(
            "2.5.29.35",
            false,
            Der.sequence(Der.contextPrimitive(0, options.selfSigned === true ? identifier(spki) : rootId))
          )
        ]
      })
      return { cert, key: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString() }
    }
  }
}

/** The authority of all test servers that need none of their own. A process reads it into its TLS settings once. */
export const authority = makeAuthority()
