/** The root certificates that a dialer trusts, and the TLS sessions of connections that were verified with them. */
import * as fs from "node:fs"
import type * as Tls from "node:tls"
import { setNewest } from "../platform/BoundedMap.ts"
import { builtins } from "../platform/builtins.ts"
import { describeError, DialError } from "./DialError.ts"
import * as TrustStore from "./TrustStore.ts"

const MAX_SESSIONS = 256

/** The trusted roots, and the configured files without a readable certificate. */
export interface Trust {
  readonly stamp: string
  readonly context: Tls.SecureContext
  readonly unreadable: ReadonlyArray<string>
}

/** A text that changes whenever a file of certificates, or its readability, may have changed. */
const stampOf = (file: string): string => {
  try {
    return String(fs.statSync(file).mtimeMs)
  } catch (error) {
    return describeError(error)
  }
}

/** The newest TLS settings, which dialers share: `credsvc proxy` has a dialer for each sandbox, and reading all roots takes long. */
let newest: { readonly ca: ReadonlyArray<string>; readonly context: Tls.SecureContext } | undefined

const contextOf = (ca: ReadonlyArray<string>): Tls.SecureContext => {
  const isSame = newest?.ca.length === ca.length && ca.every((certificate, index) => certificate === newest?.ca[index])
  if (newest === undefined || !isSame) {
    newest = { ca, context: builtins.tls.createSecureContext({ ca: [...ca], minVersion: "TLSv1.2" }) }
  }
  return newest.context
}

/** The error for an upstream that is not trusted. Names the files of roots that could not be read. */
export const untrustedError = (name: string, reason: string, { unreadable }: Trust): DialError =>
  new DialError(
    "untrusted",
    `TLS verification of ${name} failed ${reason}`.trimEnd() + (unreadable.length === 0
      ? ""
      : `; no certificate could be read from ${unreadable.join(", ")}, named by upstream.extra_ca_certs in config.json`)
  )

export class TrustedRoots {
  readonly #sessions = new Map<string, Buffer>()
  #trust: Trust | undefined

  /** The roots of the system, of Node and of these files, which are read again after a change. */
  trustWith(files: ReadonlyArray<string>): Trust {
    const stamp = files.map((file) => `${file}:${stampOf(file)}`).join("\n")
    if (this.#trust?.stamp !== stamp) {
      const { certificates, unreadable } = TrustStore.rootsOf(files)
      const ca = TrustStore.withoutDuplicates([...certificates, ...TrustStore.systemRoots(), ...TrustStore.nodeRoots()])
      this.#trust = { stamp, context: contextOf(ca), unreadable }
      this.#sessions.clear()
    }
    return this.#trust
  }

  /** The session to resume. Changed settings invalidate the sessions of the previous context. */
  sessionWith(name: string, trust: Trust): Buffer | undefined {
    return this.#trust === trust ? this.#sessions.get(name) : undefined
  }

  /** Keeps a session. Resumption skips the verification, so the connection must have been verified. */
  keepSession(name: string, trust: Trust, session: Buffer): void {
    if (this.#trust === trust) setNewest(this.#sessions, name, session, MAX_SESSIONS)
  }
}
