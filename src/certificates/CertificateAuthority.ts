/**
 * The certificate authority of one run or sandbox.
 *
 * The private key of a run's authority exists only in the memory of its process; a sandbox's key is sealed in the vault. A
 * critical name constraint limits the authority to the hosts that were routed at its creation, so trusting the authority gives no
 * power over other hosts. Requests to hosts that are routed later are refused (see `permits`). No suitable certificate library
 * writes name constraints.
 */
import type * as Crypto from "node:crypto"
import { builtins } from "../platform/builtins.ts"
import * as Der from "./Der.ts"

const HOUR = 3_600_000
const ROOT_DAYS = 365
/**
 * How long before its creation a certificate becomes valid: the clock of a virtual machine stands still while the machine is
 * suspended.
 */
const LAG = 7 * 24 * HOUR

const OID = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  organization: "2.5.4.10",
  commonName: "2.5.4.3",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  nameConstraints: "2.5.29.30",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1"
} as const

const DNS_NAME = 2
const IP_ADDRESS = 7
/** The bytes of an address with its mask, as name constraints write a network, for IPv4 and IPv6 (RFC 5280 section 4.2.1.10). */
const IP_NETWORK_BYTES = [8, 32]

/** The certificate of one host. */
export interface Leaf {
  readonly certPem: string
  readonly keyPem: string
  /** The time in milliseconds since 1970. */
  readonly expiresAt: number
}

/** An open authority, which can issue certificates. */
export interface CertificateAuthority {
  /** The root certificate. Its private key is not accessible. */
  readonly rootPem: string
  readonly rootDer: Uint8Array
  /** Whether the name constraint of the root permits this host. */
  readonly permits: (host: string) => boolean
  /** Issues a certificate for exactly this host, valid for less than a day from now on. All leaves share one key. */
  readonly issue: (host: string) => Leaf
}

const extension = (oid: string, value: Der.Der): Der.Der => Der.sequence(Der.oid(oid), Der.octets(value))

/** An extension because of which a client that does not know it must reject the certificate. */
const criticalExtension = (oid: string, value: Der.Der): Der.Der =>
  Der.sequence(Der.oid(oid), Der.boolean(true), Der.octets(value))

const attribute = (oid: string, value: string): Der.Der => Der.set(Der.sequence(Der.oid(oid), Der.utf8(value)))

/** Returns the digest of the key's bits without their DER encoding (RFC 5280 section 4.2.1.2, method 1). */
const keyIdentifier = (spki: Der.Der): Der.Der =>
  // An uncompressed P-256 point is the last 65 bytes of its SubjectPublicKeyInfo.
  builtins.crypto.createHash("sha1").update(spki.slice(-65), "latin1").digest("binary")

interface CertificateFields {
  readonly issuer: Der.Der
  readonly subject: Der.Der
  readonly spki: Der.Der
  readonly notBefore: number
  readonly notAfter: number
  readonly extensions: ReadonlyArray<Der.Der>
  readonly signingKey: Crypto.KeyObject
}

const certificate = (fields: CertificateFields): Der.Der => {
  const algorithm = Der.sequence(Der.oid(OID.ecdsaWithSha256))
  const serial = builtins.crypto.randomBytes(16)
  serial[0] = (serial[0] ?? 0) | 0x40 // never zero, never shorter than 16 bytes
  const tbs = Der.sequence(
    Der.context(0, Der.integer(Der.byte(2))),
    Der.integer(Der.fromBytes(serial)),
    algorithm,
    fields.issuer,
    Der.sequence(Der.time(fields.notBefore), Der.time(fields.notAfter)),
    fields.subject,
    fields.spki,
    Der.context(3, Der.sequence(...fields.extensions))
  )
  const signature = builtins.crypto.sign("sha256", Der.toBytes(tbs), fields.signingKey)
  return Der.sequence(tbs, algorithm, Der.bits(Der.fromBytes(signature)))
}

/** When a root is created and expires, in milliseconds since 1970. */
interface Lifetime {
  readonly created: number
  readonly expires: number
}

/** The root certificate of an authority and its private key. */
interface Root {
  readonly commonName: string
  /** The names that the certificate permits. */
  readonly names: ReadonlyArray<string>
  readonly der: Der.Der
  readonly key: Crypto.KeyObject
}

/** An authority that outlives its process. `keyPem` is a secret. */
export interface StoredAuthority {
  readonly commonName: string
  readonly names: ReadonlyArray<string>
  readonly rootPem: string
  readonly keyPem: string
}

const subjectOf = (commonName: string): Der.Der =>
  Der.sequence(attribute(OID.organization, "credsvc"), attribute(OID.commonName, commonName))

const spkiOf = (key: Crypto.KeyObject): Der.Der => Der.fromBytes(key.export({ type: "spki", format: "der" }))

/** Creates a root, whose common name contains `kind`. `names` contains exact hosts, and `x.y` for each pattern `*.x.y`. */
const createRoot = (kind: string, names: ReadonlyArray<string>, { created, expires }: Lifetime): Root => {
  const { crypto } = builtins
  const { privateKey, publicKey } = crypto.generateKeyPairSync("ec", { namedCurve: "P-256" })
  const rootSpki = spkiOf(publicKey)
  const rootId = keyIdentifier(rootSpki)
  const commonName = `credsvc ${kind} ${crypto.randomBytes(8).toString("hex")}`
  const subject = subjectOf(commonName)
  // A constraint without permitted names would allow all names.
  const permitted = names.length === 0 ? ["credsvc.invalid"] : names
  const subtree = (tag: number, value: Der.Der) => Der.sequence(Der.contextPrimitive(tag, value))
  const constraints = Der.sequence(
    Der.context(0, ...permitted.map((name) => subtree(DNS_NAME, name))),
    // The networks 0.0.0.0/0 and ::/0 exclude all addresses.
    Der.context(1, ...IP_NETWORK_BYTES.map((length) => subtree(IP_ADDRESS, Der.byte(0).repeat(length))))
  )
  const der = certificate({
    issuer: subject,
    subject,
    spki: rootSpki,
    notBefore: created - LAG,
    notAfter: expires,
    signingKey: privateKey,
    extensions: [
      criticalExtension(OID.basicConstraints, Der.sequence(Der.boolean(true), Der.integer(Der.byte(0)))),
      criticalExtension(OID.keyUsage, Der.bits(Der.byte(0x04), 2)), // keyCertSign
      extension(OID.subjectKeyIdentifier, Der.octets(rootId)),
      extension(OID.authorityKeyIdentifier, Der.sequence(Der.contextPrimitive(0, rootId))),
      criticalExtension(OID.nameConstraints, constraints)
    ]
  })
  return { commonName, names: permitted, der, key: privateKey }
}

const authorityOf = ({ commonName, der: rootDer, key, names }: Root, now: () => number): CertificateAuthority => {
  const { crypto } = builtins
  const leafKeys = crypto.generateKeyPairSync("ec", { namedCurve: "P-256" })
  const rootId = keyIdentifier(spkiOf(crypto.createPublicKey(key)))
  const leafSpki = spkiOf(leafKeys.publicKey)
  const leafId = keyIdentifier(leafSpki)
  const subject = subjectOf(commonName)
  const keyPem = leafKeys.privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  const leafSubject = Der.sequence(attribute(OID.organization, "credsvc run"))

  return {
    rootPem: Der.pem("CERTIFICATE", rootDer),
    rootDer: Der.toBytes(rootDer),
    permits: (host) => names.some((name) => host === name || host.endsWith(`.${name}`)),
    issue: (host) => {
      const issued = now()
      const expiresAt = issued + 22 * HOUR
      const der = certificate({
        issuer: subject,
        subject: leafSubject,
        spki: leafSpki,
        notBefore: issued - LAG,
        notAfter: expiresAt,
        signingKey: key,
        extensions: [
          criticalExtension(OID.basicConstraints, Der.sequence()),
          criticalExtension(OID.keyUsage, Der.bits(Der.byte(0x80), 7)), // digitalSignature
          extension(OID.extendedKeyUsage, Der.sequence(Der.oid(OID.serverAuth))),
          extension(OID.subjectAltName, Der.sequence(Der.contextPrimitive(DNS_NAME, host))),
          extension(OID.subjectKeyIdentifier, Der.octets(leafId)),
          extension(OID.authorityKeyIdentifier, Der.sequence(Der.contextPrimitive(0, rootId)))
        ]
      })
      return { certPem: Der.pem("CERTIFICATE", der), keyPem, expiresAt }
    }
  }
}

/** Creates an authority for the lifetime of this process. `names` contains exact hosts, and `x.y` for each pattern `*.x.y`. */
export const createTemporary = (names: ReadonlyArray<string>, now: () => number = Date.now): CertificateAuthority => {
  const created = now()
  return authorityOf(createRoot("run", names, { created, expires: created + ROOT_DAYS * 24 * HOUR }), now)
}

/** Creates an authority for storage. Issues nothing yet, so it needs no clock. */
export const createStored = (names: ReadonlyArray<string>, lifetime: Lifetime): StoredAuthority => {
  const root = createRoot("sandbox", names, lifetime)
  return {
    commonName: root.commonName,
    names: root.names,
    rootPem: Der.pem("CERTIFICATE", root.der),
    keyPem: root.key.export({ type: "pkcs8", format: "pem" }).toString()
  }
}

/** Opens a stored authority. */
export const openStored = (stored: StoredAuthority, now: () => number = Date.now): CertificateAuthority =>
  authorityOf({
    commonName: stored.commonName,
    names: stored.names,
    der: Der.fromBytes(new builtins.crypto.X509Certificate(stored.rootPem).raw),
    key: builtins.crypto.createPrivateKey(stored.keyPem)
  }, now)
