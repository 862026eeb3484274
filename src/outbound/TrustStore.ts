/** Reads root certificates of the system, of Node and of given files, as separate PEM blocks. */
import { builtins } from "../platform/builtins.ts"
import { textOf } from "../platform/files/ReadOrEmpty.ts"

/** The files in which systems keep all roots. */
export const SYSTEM_BUNDLES: ReadonlyArray<string> = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/tls/cacert.pem",
  "/etc/ssl/cert.pem"
]

const BLOCK = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g

/** The certificates in a PEM text, without comments and keys. */
export const pemBlocks = (text: string): ReadonlyArray<string> =>
  (text.match(BLOCK) ?? []).map((block) => block.replaceAll("\r", "") + "\n")

const readBlocks = (file: string): ReadonlyArray<string> => pemBlocks(textOf(file, "latin1"))

/** The operating system's roots, from well-known files. Ignores `SSL_CERT_FILE`, which an outer run may have set. */
export const systemRoots = (): ReadonlyArray<string> => {
  if (process.platform === "linux" || process.platform === "freebsd") {
    for (const file of SYSTEM_BUNDLES) {
      const found = readBlocks(file)
      if (found.length > 0) return found
    }
    return []
  }
  return (builtins.tls.getCACertificates("system") as ReadonlyArray<string>).flatMap(pemBlocks)
}

/** Whether a block can be decoded. Node silently ignores blocks that it cannot decode. */
const isCertificate = (block: string): boolean => {
  try {
    return new builtins.crypto.X509Certificate(block).subject !== undefined
  } catch {
    return false
  }
}

/** The roots in the given files. Files without a readable certificate are listed in `unreadable`. */
export const rootsOf = (
  files: ReadonlyArray<string>
): { readonly certificates: ReadonlyArray<string>; readonly unreadable: ReadonlyArray<string> } => {
  const certificates: Array<string> = []
  const unreadable: Array<string> = []
  for (const file of files) {
    const found = readBlocks(file).filter(isCertificate)
    if (found.length === 0) unreadable.push(file)
    else certificates.push(...found)
  }
  return { certificates, unreadable }
}

export const nodeRoots = (): ReadonlyArray<string> => builtins.tls.rootCertificates.flatMap(pemBlocks)

/** Removes certificates that differ only in their line breaks or labels. */
export const withoutDuplicates = (certificates: ReadonlyArray<string>): ReadonlyArray<string> => {
  const seen = new Map<string, string>()
  for (const certificate of certificates) {
    const key = certificate.replace(/-----[^-]+-----|\s/g, "")
    if (!seen.has(key)) seen.set(key, certificate)
  }
  return [...seen.values()]
}
