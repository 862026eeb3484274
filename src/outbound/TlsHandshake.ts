/** Connects with TLS 1.2 or later, and verifies the server's name against the trusted roots. */
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import { plural } from "../domain/text/Plural.ts"
import { builtins } from "../platform/builtins.ts"
import { type Authority, formatAuthority } from "./Authority.ts"
import { describeError, DialError } from "./DialError.ts"
import { type Trust, type TrustedRoots, untrustedError } from "./TrustedRoots.ts"

const NO_PROTOCOL = "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL"

interface HandshakeOptions {
  readonly target: Authority
  /** The protocols that ALPN offers. */
  readonly protocols: ReadonlyArray<string>
  readonly roots: TrustedRoots
  readonly trust: Trust
  readonly timeout: number
}

/** Begins a handshake on a connection, and resumes an earlier session if there is one. */
export const beginHandshake = (
  socket: Net.Socket,
  { protocols, roots, target, trust }: HandshakeOptions
): Tls.TLSSocket => {
  const session = roots.sessionWith(formatAuthority(target), trust)
  return builtins.tls.connect({
    socket,
    ...(target.kind === "name" ? { servername: target.host } : { host: target.host }),
    secureContext: trust.context,
    rejectUnauthorized: true,
    ALPNProtocols: [...protocols],
    ...(session === undefined ? {} : { session })
  })
}

/** Why a handshake has failed. */
const handshakeError = (
  secured: Tls.TLSSocket,
  error: Error,
  { protocols, target, trust }: HandshakeOptions
): DialError => {
  const name = formatAuthority(target)
  const code = describeError(error)
  if (code === NO_PROTOCOL) return new DialError("protocol", `${name} does not support ${protocols.join(" or ")}`)
  // Node sets `authorizationError` only when the verification fails.
  return (secured.authorizationError as unknown) === null
    ? new DialError("unreachable", `the TLS handshake with ${name} failed (${code})`)
    : untrustedError(name, `(${code})`, trust)
}

/** Waits until the handshake is complete and the server verified. */
export const finishHandshake = (secured: Tls.TLSSocket, options: HandshakeOptions): Promise<Tls.TLSSocket> =>
  new Promise((resolve, reject) => {
    const { roots, target, timeout, trust } = options
    const name = formatAuthority(target)
    let isVerified = false
    let early: Buffer | undefined
    const fail = (error: DialError): void => {
      clearTimeout(timer)
      secured.destroy()
      reject(error)
    }
    const timer = setTimeout(() => {
      const limit = plural(timeout / 1000, "second")
      fail(new DialError("timeout", `${name} did not complete the TLS handshake within ${limit}`))
    }, timeout)
    const failed = (error: Error): void => fail(handshakeError(secured, error, options))
    secured.once("error", failed)
    secured.on("session", (session) => {
      if (isVerified) roots.keepSession(name, trust, session)
      else early = session
    })
    secured.once("secureConnect", () => {
      secured.off("error", failed)
      // Node verifies too, unless a flag of the process turns that off.
      if (!secured.authorized) return fail(untrustedError(name, "", trust))
      clearTimeout(timer)
      isVerified = true
      if (early !== undefined) roots.keepSession(name, trust, early)
      resolve(secured)
    })
  })
