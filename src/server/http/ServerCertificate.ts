/** The certificate and the private key of a daemon that serves TLS itself. Reads the files again when they have changed. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Crypto from "node:crypto"
import * as fs from "node:fs"
import type * as Tls from "node:tls"
import { builtins } from "../../platform/builtins.ts"
import { errorCode } from "../../platform/ErrorCode.ts"
import { readRegular } from "../../platform/files/ReadFile.ts"

/** A file, and the flag or variable that selects it. */
export interface NamedFile {
  readonly path: string
  readonly setting: string
}

interface CertificateFiles {
  readonly cert: NamedFile
  readonly key: NamedFile
}

/** The reason why the files cannot be used, as a clause that names the setting. */
class CertificateProblem {
  readonly _tag = "CertificateProblem"
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

interface Pair {
  readonly cert: string
  readonly key: string
  readonly certificate: Crypto.X509Certificate
}

const day = 24 * 3600 * 1000

/** Certificates that are valid for 90 days are usually renewed 30 days before they expire. */
const noticeDays = 14

/** How long a changed file may go unnoticed. */
const checkMillis = 1000

const maxBytes = 1024 * 1024

const dateOf = (text: string): string => new Date(text).toISOString().slice(0, 10)

const read = ({ path, setting }: NamedFile): string => {
  const text = readRegular(path, maxBytes)
  if (Result.isFailure(text)) throw new CertificateProblem(`${path}, the file of ${setting}, ${text.failure}`)
  return text.success.toString()
}

const parse = <A>({ path, setting }: NamedFile, expected: string, run: () => A): A => {
  try {
    return run()
  } catch {
    throw new CertificateProblem(`${path}, the file of ${setting}, has no ${expected} in PEM format`)
  }
}

const load = (files: CertificateFiles): Pair => {
  const [cert, key] = [read(files.cert), read(files.key)]
  const certificate = parse(files.cert, "certificate", () => new builtins.crypto.X509Certificate(cert))
  const privateKey = parse(files.key, "unencrypted private key", () => builtins.crypto.createPrivateKey(key))
  const { validFrom, validTo } = certificate
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new CertificateProblem(
      `the key in the file of ${files.key.setting} does not belong to the first certificate in the file of ${files.cert.setting}`
    )
  }
  const now = Date.now()
  if (Date.parse(validTo) <= now) {
    throw new CertificateProblem(`the certificate in the file of ${files.cert.setting} expired on ${dateOf(validTo)}`)
  }
  if (Date.parse(validFrom) > now) {
    throw new CertificateProblem(
      `the certificate in the file of ${files.cert.setting} is not valid before ${dateOf(validFrom)}`
    )
  }
  try {
    builtins.tls.createSecureContext({ cert, key })
  } catch (cause) {
    throw new CertificateProblem(
      `TLS rejects the certificate in the file of ${files.cert.setting} (${errorCode(cause)})`
    )
  }
  return { cert, key, certificate }
}

const attempt = (files: CertificateFiles): Pair | CertificateProblem => {
  try {
    return load(files)
  } catch (cause) {
    if (cause instanceof CertificateProblem) return cause
    throw cause
  }
}

/** Identifies the content of the files. Follows symbolic links. */
const stampOf = ({ cert, key }: CertificateFiles): string =>
  [cert, key].map(({ path }) => {
    const stat = fs.statSync(path, { bigint: true, throwIfNoEntry: false })
    return stat === undefined ? "" : `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs}`
  }).join()

export class ServerCertificate {
  readonly #files: CertificateFiles
  readonly #host: string
  #pair: Pair
  #stamp: string
  #checkedAt = Date.now()
  #problem: CertificateProblem | undefined

  private constructor(files: CertificateFiles, host: string, pair: Pair, stamp: string) {
    this.#files = files
    this.#host = host
    this.#pair = pair
    this.#stamp = stamp
  }

  /** Reads both files. `host` is the name or address that clients use for the daemon, in its URL form. */
  static readonly open = (
    files: CertificateFiles,
    host: string
  ): Effect.Effect<ServerCertificate, CertificateProblem> =>
    Effect.suspend(() => {
      // The stamps are taken before the files are read, so that a change in between is noticed.
      const stamp = stampOf(files)
      const pair = attempt(files)
      return pair instanceof CertificateProblem
        ? Effect.fail(pair)
        : Effect.succeed(new ServerCertificate(files, host.replace(/^\[|\]$/g, ""), pair, stamp))
    })

  get options(): Tls.SecureContextOptions {
    const { cert, key } = this.#pair
    return { cert, key, minVersion: "TLSv1.2" }
  }

  /**
   * Reads the files again if they have changed. Keeps the current pair if the new one is invalid, for example while
   * only one of the two files has been replaced. Returns whether the pair has changed.
   */
  refresh(): boolean {
    const now = Date.now()
    if (now - this.#checkedAt < checkMillis) return false
    this.#checkedAt = now
    const stamp = stampOf(this.#files)
    if (stamp === this.#stamp) return false
    this.#stamp = stamp
    const pair = attempt(this.#files)
    this.#problem = pair instanceof CertificateProblem ? pair : undefined
    if (pair instanceof CertificateProblem) return false
    this.#pair = pair
    return true
  }

  /** Warnings about a certificate that clients do not accept or soon will not accept, as sentences. */
  get warnings(): ReadonlyArray<string> {
    this.refresh()
    const { certificate } = this.#pair
    const { setting } = this.#files.cert
    const left = Date.parse(certificate.validTo) - Date.now()
    const matches = builtins.net.isIP(this.#host) === 0
      ? certificate.checkHost(this.#host)
      : certificate.checkIP(this.#host)
    return [
      ...this.#problem === undefined ?
        [] :
        [`The daemon still uses the previous certificate, because ${this.#problem.message}.`],
      ...left <= 0
        ? [
          `The certificate of ${setting} expired on ${
            dateOf(certificate.validTo)
          }, so clients reject it. Replace the files; the daemon loads them.`
        ]
        : left < noticeDays * day
        ? [
          `The certificate of ${setting} expires on ${
            dateOf(certificate.validTo)
          }. Replace the files; the daemon loads them.`
        ]
        : [],
      ...matches === undefined
        ? [
          `The certificate of ${setting} is not valid for ${this.#host}, the host of CREDSVC_SERVER_BASE_URL. Use a certificate for this host.`
        ]
        : []
    ]
  }
}
