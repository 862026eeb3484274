/**
 * Verifies the remote end of a new connection to the daemon.
 *
 * Every new loopback connection starts with a handshake: `GET /health?nonce=…`, in which both ends prove that they can
 * read this home's access key. Only then does the connection carry a request, so a listener of another user on the same
 * port never receives a byte of a request. If the key cannot be compared (another home's daemon), the kernel's socket table
 * tells which user accepted this connection. Looking up the listener on the port would not be enough, because a server
 * can close its listener, keep the connection, and leave the port to our daemon.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Net from "node:net"
import { clientHeader, clientHello, endsOfClient, proofHeader, serverProof } from "../config/daemon/AccessKey.ts"
import { baseUrlText, mountPathOf } from "../config/daemon/DaemonUrl.ts"
import { apiVersion } from "../domain/wire/ApiVersion.ts"
import { builtins } from "../platform/builtins.ts"
import { isSameSecret } from "../platform/Digest.ts"
import { endsOf, type Ownership, type PeerOwner } from "../platform/sockets/PeerOwner.ts"
import type { DaemonAddress } from "./DaemonAddress.ts"

/**
 * Why there is no response. `refused`: nothing listens. `untrusted`: the listener is not ours. `foreign`: our daemon
 * of another home. `incompatible`: a daemon with another version of the interface. `broken`: the connection failed, or
 * the response was not HTTP.
 */
export class ConnectionError extends Data.TaggedError("ConnectionError")<{
  readonly reason: "refused" | "untrusted" | "foreign" | "incompatible" | "timeout" | "broken"
  readonly message: string
}> {}

/** The host and the port of an address, as `node:net` expects them. */
export const endpointOf = ({ url }: DaemonAddress) => {
  const secure = url.protocol === "https:"
  return { secure, host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || (secure ? 443 : 80)) }
}

const handshakeTimeout = 5_000
const maxHandshakeBytes = 65_536

const refusedCodes = new Set(["ECONNREFUSED", "ENOENT", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"])

const untrustedCertificates = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
])

export const connectionError = (reason: ConnectionError["reason"], message: string): ConnectionError =>
  new ConnectionError({ reason, message })

const otherAddress = ({ explicit }: DaemonAddress): string =>
  explicit
    ? "Set CREDSVC_DAEMON_URL to the URL of your daemon, or unset it to use the daemon of this home"
    : "Stop that program, or start your daemon on a free port with: credsvc daemon start --port 0"

/** Adds advice only for an explicit address. Otherwise the next command finds or starts the daemon of this home. */
const withAddressAdvice = (address: DaemonAddress, sentence: string): string =>
  address.explicit ? `${sentence}. ${otherAddress(address)}` : sentence

export const toConnectionError = (cause: unknown, address: DaemonAddress): ConnectionError => {
  if (cause instanceof ConnectionError) return cause
  const url = baseUrlText(address.url)
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  if (code !== undefined && untrustedCertificates.has(code)) {
    return connectionError(
      "broken",
      `The certificate of ${url} is not trusted (${code}). If your own authority has issued it, set NODE_EXTRA_CA_CERTS to ` +
        "the file with the authority's certificate"
    )
  }
  return code !== undefined && refusedCodes.has(code)
    ? connectionError("refused", `Nothing listens at ${url}`)
    : connectionError(
      "broken",
      withAddressAdvice(address, `The connection to ${url} failed${code === undefined ? "" : ` (${code})`}`)
    )
}

const untrusted = (address: DaemonAddress, owner: Ownership = "other"): ConnectionError => {
  const why = owner === "other" ? "belongs to another user" : "did not prove that it is your daemon"
  return connectionError(
    "untrusted",
    `The server at ${baseUrlText(address.url)} ${why}, so nothing was sent to it. ${otherAddress(address)}`
  )
}

const notCredsvc = (address: DaemonAddress): ConnectionError =>
  connectionError(
    "broken",
    `The server at ${baseUrlText(address.url)} is not a credsvc daemon. ${otherAddress(address)}`
  )

const foreign = (address: DaemonAddress): ConnectionError =>
  connectionError(
    "foreign",
    `The daemon at ${baseUrlText(address.url)} serves another home of credsvc (CREDSVC_HOME). ` +
      "Start the daemon of this home on a free port with: credsvc daemon start --port 0"
  )

/** The error for a daemon of another version, which may prove itself in another way. */
const otherVersion = (address: DaemonAddress, { version }: Handshake["health"]): ConnectionError =>
  connectionError(
    "incompatible",
    `The daemon at ${baseUrlText(address.url)} is of another version of credsvc (${
      String(version)
    }), started before an ` +
      "update. Restart it with: credsvc daemon restart"
  )

/** The error for a daemon that cannot accept the proof of this client, because the proof has a time before its start. */
const clockSetBack = (address: DaemonAddress): ConnectionError =>
  connectionError(
    "incompatible",
    `The clock of this machine was set back to a time before the start of the daemon at ${baseUrlText(address.url)}. ` +
      "Restart it with: credsvc daemon restart"
  )

const handshakeFailed = (reason: "broken" | "timeout", address: DaemonAddress, what: string): ConnectionError =>
  connectionError(reason, withAddressAdvice(address, `The server at ${baseUrlText(address.url)} ${what} the handshake`))

export const closedEarly = (address: DaemonAddress): ConnectionError =>
  handshakeFailed("broken", address, "closed the connection during")

interface Handshake {
  readonly proof: string | undefined
  readonly health: { readonly version?: unknown; readonly api_version?: unknown; readonly instance?: unknown }
}

/** Reads the response to the handshake from the bytes that have arrived. */
export const readHandshake = (received: Buffer): Handshake | "incomplete" | "invalid" => {
  const end = received.indexOf("\r\n\r\n")
  if (end < 0) return "incomplete"
  const [statusLine = "", ...lines] = received.subarray(0, end).toString("latin1").split("\r\n")
  const header = (name: string) =>
    lines.find((line) => line.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 1).trim()
  const length = Number(header("content-length"))
  if (!statusLine.startsWith("HTTP/1.1 200") || !Number.isInteger(length) || length > maxHandshakeBytes) {
    return "invalid"
  }
  if (received.length < end + 4 + length) return "incomplete"
  try {
    const health = JSON.parse(received.subarray(end + 4).toString("utf8"))
    return { proof: header(proofHeader), health: typeof health === "object" && health !== null ? health : {} }
  } catch {
    return "invalid"
  }
}

/** Reads one small response from the bare socket and leaves the socket as if unused. */
const shakeHands = (socket: Net.Socket, address: DaemonAddress, request: string): Promise<Handshake> =>
  new Promise((resolve, reject) => {
    let received = Buffer.alloc(0)
    const settle = (finish: () => void): void => {
      socket.off("data", onData).off("error", onError).off("close", onClose)
      socket.setTimeout(0)
      socket.off("timeout", onTimeout)
      finish()
    }
    const onError = (cause: Error): void => settle(() => reject(cause))
    const onClose = (): void => settle(() => reject(closedEarly(address)))
    const onTimeout = (): void => settle(() => reject(handshakeFailed("timeout", address, "did not respond to")))
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk])
      const handshake = readHandshake(received)
      if (handshake === "invalid") settle(() => reject(notCredsvc(address)))
      else if (handshake !== "incomplete") settle(() => resolve(handshake))
      else if (received.length > maxHandshakeBytes && !received.includes("\r\n\r\n")) onClose()
    }
    if (socket.destroyed) return onClose()
    socket.on("data", onData).on("error", onError).on("close", onClose)
    socket.setTimeout(handshakeTimeout).on("timeout", onTimeout)
    socket.write(request)
  })

/** Fails unless our own user accepted the connection, on which the server has already responded. */
const verifyOwner = async (
  socket: Net.Socket,
  address: DaemonAddress,
  key: Uint8Array | undefined,
  peerOwner: PeerOwner["Service"]
): Promise<void> => {
  const ends = endsOf(socket)
  if (ends === undefined) throw closedEarly(address)
  const owner = await Effect.runPromise(peerOwner.peer(ends.remote, ends.local))
  // A closed socket has no owner in the table.
  if (socket.destroyed || socket.readableEnded) throw closedEarly(address)
  // Without a socket table the proof is the only evidence. A home without a key has no daemon that could prove itself.
  if (owner !== "own" && !(owner === "unsupported" && key === undefined)) throw untrusted(address, owner)
}

/**
 * Fails unless the daemon of this address is at the remote end. `begun`: the time before the connection was opened, in
 * milliseconds since 1970.
 */
export const verifyDaemon = async (
  socket: Net.Socket,
  address: DaemonAddress,
  { accessKey: key, begun, peerOwner }: {
    readonly accessKey: Uint8Array | undefined
    readonly peerOwner: PeerOwner["Service"]
    readonly begun: number
  }
): Promise<void> => {
  const listenerIsOurs = async (): Promise<boolean> => {
    const { host, port } = endpointOf(address)
    const owner = await Effect.runPromise(peerOwner.listener({ address: host, port }))
    return owner === "own" || owner === "unsupported"
  }
  const ends = endsOfClient(socket)
  const nonce = builtins.crypto.randomBytes(32).toString("hex")
  const hello = key === undefined ? "" : `${clientHeader}: ${clientHello(key, nonce, ends, begun)}\r\n`
  // Without a key, sends the first byte only to a listener of our own. Who accepted the connection is known only after a
  // response.
  if (key === undefined && !(await listenerIsOurs())) throw untrusted(address)
  const { health, proof } = await shakeHands(
    socket,
    address,
    `GET ${
      mountPathOf(address.url)
    }/health?nonce=${nonce} HTTP/1.1\r\nHost: ${address.url.host}\r\n${hello}Connection: keep-alive\r\n\r\n`
  ).catch(async (cause: unknown) => {
    if (cause instanceof ConnectionError && !(await listenerIsOurs())) throw untrusted(address)
    throw cause
  })
  const proved = key !== undefined && proof !== undefined && isSameSecret(proof, serverProof(key, nonce, ends))
  if (!proved) {
    await verifyOwner(socket, address, key, peerOwner)
    if (!address.explicit) {
      // A daemon that cannot prove that it has this home's access key serves another home, or is of another version.
      if (address.instance === undefined || health.instance !== address.instance) throw foreign(address)
      throw begun < Date.parse(address.startedAt ?? "") ? clockSetBack(address) : otherVersion(address, health)
    }
  }
  if (health.api_version !== apiVersion) throw otherVersion(address, health)
}
