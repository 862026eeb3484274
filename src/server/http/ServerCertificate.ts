/** The certificate and the private key of a daemon that serves TLS itself. Reads the files again when they have changed. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Crypto from "node:crypto"
import * as fs from "node:fs"
import type * as Tls from "node:tls"
import { builtins } from "../../platform/builtins.ts"
import { errorCode } from "../../platform/ErrorCode.ts"
import { readRegular } from "../../platform/files/BoundedRead.ts"

export const certVariable = "CREDSVC_TLS_CERT_FILE"
export const keyVariable = "CREDSVC_TLS_KEY_FILE"

type CertificateFiles = Readonly<Record<"cert" | "key", string>>

export type ServerCertificate = Effect.Success<ReturnType<typeof openServerCertificate>>

/** The reason why the files cannot be used, as a clause that names the variable. */
class CertificateProblem extends Data.TaggedError("CertificateProblem")<{ readonly message: string }> {}

const problemWith = (message: string) => new CertificateProblem({ message })

/** The texts of both files, and the first certificate. */
interface Pair extends CertificateFiles {
  readonly certificate: Crypto.X509Certificate
}

const day = 24 * 3600 * 1000

/**
 * How many days before the expiry to warn. Certificates that are valid for 90 days are usually renewed 30 days before they
 * expire.
 */
const noticeDays = 14

/** How long a changed file may go unnoticed. */
const checkMillis = 1000

const maxBytes = 1024 * 1024

const dateOf = (text: string): string => new Date(text).toISOString().slice(0, 10)

/** Reads the file of a variable, and parses its PEM text. `expected` names the content in messages. */
const load = <A>(variable: string, path: string, expected: string, parse: (text: string) => A) => {
  const bytes = readRegular(path, maxBytes)
  const problem = (clause: string) => problemWith(`${path}, the file of ${variable}, ${clause}`)
  if (Result.isFailure(bytes)) throw problem(bytes.failure)
  const text = bytes.success.toString()
  try {
    return { text, parsed: parse(text) }
  } catch {
    throw problem(`has no ${expected} in PEM format`)
  }
}

const loadPair = (files: CertificateFiles): Pair => {
  const { crypto, tls } = builtins
  const { parsed: certificate, text: cert } = load(
    certVariable,
    files.cert,
    "certificate",
    (text) => new crypto.X509Certificate(text)
  )
  const { parsed: privateKey, text: key } = load(
    keyVariable,
    files.key,
    "unencrypted private key",
    (text) => crypto.createPrivateKey(text)
  )
  const [now, ofCertificate] = [Date.now(), `certificate in the file of ${certVariable}`]
  if (!certificate.checkPrivateKey(privateKey)) {
    throw problemWith(`the key in the file of ${keyVariable} does not belong to the first ${ofCertificate}`)
  }
  if (Date.parse(certificate.validTo) <= now) {
    throw problemWith(`the ${ofCertificate} expired on ${dateOf(certificate.validTo)}`)
  }
  if (Date.parse(certificate.validFrom) > now) {
    throw problemWith(`the ${ofCertificate} is not valid before ${dateOf(certificate.validFrom)}`)
  }
  try {
    tls.createSecureContext({ cert, key })
  } catch (cause) {
    throw problemWith(
      `Node cannot use the ${ofCertificate} (${
        errorCode(cause)
      }): use a valid PEM chain with supported keys and signatures`
    )
  }
  return { cert, key, certificate }
}

const attempt = (files: CertificateFiles): Pair | CertificateProblem => {
  try {
    return loadPair(files)
  } catch (cause) {
    if (cause instanceof CertificateProblem) return cause
    throw cause
  }
}

/** Identifies the content of the files. Follows symbolic links. */
const stampOf = ({ cert, key }: CertificateFiles): string =>
  [cert, key].map((path) => {
    const stat = fs.statSync(path, { bigint: true, throwIfNoEntry: false })
    return stat === undefined ? "" : `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs}`
  }).join()

const validityWarnings = ({ certificate }: Pair, host: string): ReadonlyArray<string> => {
  const left = Date.parse(certificate.validTo) - Date.now()
  const date = dateOf(certificate.validTo)
  const matches = builtins.net.isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)
  return [
    ...left <= 0
      ? [`expired on ${date}, so clients reject it. Replace the files; the daemon loads them.`]
      : left < noticeDays * day
      ? [`expires on ${date}. Replace the files; the daemon loads them.`]
      : [],
    ...matches === undefined
      ? [`is not valid for ${host}, the host of CREDSVC_SERVER_BASE_URL. Use a certificate for this host.`]
      : []
  ].map((clause) => `The certificate of ${certVariable} ${clause}`)
}

/** Reads both files. `host` is the name or address that clients use for the daemon, in its URL form. */
export const openServerCertificate = Effect.fnUntraced(function*(files: CertificateFiles, host: string) {
  // The stamps are taken before the files are read, so that a change in between is noticed.
  let stamp = stampOf(files)
  const first = attempt(files)
  if (first instanceof CertificateProblem) return yield* first
  let pair = first
  let checkedAt = Date.now()
  let problem: CertificateProblem | undefined
  /**
   * Reads the files again if they have changed. Keeps the current pair if the new one is invalid, for example while
   * only one of the two files has been replaced. Returns whether the pair has changed.
   */
  const refresh = (): boolean => {
    const now = Date.now()
    if (Math.abs(now - checkedAt) < checkMillis) return false
    checkedAt = now
    const found = stampOf(files)
    if (found === stamp) return false
    stamp = found
    const loaded = attempt(files)
    problem = loaded instanceof CertificateProblem ? loaded : undefined
    if (loaded instanceof CertificateProblem) return false
    pair = loaded
    return true
  }
  return {
    options: (): Tls.SecureContextOptions => ({ cert: pair.cert, key: pair.key, minVersion: "TLSv1.2" }),
    refresh,
    /** Warnings about a certificate that clients do not accept or soon will not accept, as sentences. */
    warnings: (): ReadonlyArray<string> => {
      refresh()
      return [
        ...problem === undefined
          ? []
          : [`The daemon still uses the previous certificate, because ${problem.message}.`],
        ...validityWarnings(pair, host.replace(/^\[|\]$/g, ""))
      ]
    }
  }
})
