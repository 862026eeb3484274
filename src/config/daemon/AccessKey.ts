/**
 * The secret by which processes of one user recognize each other over loopback: 32 random bytes in a file that only
 * that user can read.
 *
 * A client that proves that it knows the secret is the local user. The proof saves a lookup in the kernel's socket tables, and
 * is the only evidence that a daemon accepts if others can reach it. The daemon proves its knowledge, too, because another
 * program could have taken the port.
 */
import * as Effect from "effect/Effect"
import type * as Net from "node:net"
import { builtins } from "../../platform/builtins.ts"
import { isSameSecret } from "../../platform/Digest.ts"
import * as SecureFiles from "../../platform/files/SecureFiles.ts"
import type { HomePaths } from "../Paths.ts"

export const clientHeader = "credsvc-client"

export const proofHeader = "credsvc-proof"

/** The accepted clock difference between two processes of one machine, in milliseconds. */
export const helloWindow = 30_000

const keyBytes = 32

/** A keyed hash of a message, in hexadecimal. Each kind of message begins with its own name. */
export const mac = (key: Uint8Array, message: string): string =>
  builtins.crypto.createHmac("sha256", key).update(message).digest("hex")

type End = "localAddress" | "localPort" | "remoteAddress" | "remotePort"
type Ends = { readonly [key in End]?: Net.Socket[key] | undefined }

const endText = (address = "unknown", port = 0): string => `${address.replace(/^::ffff:(?=\d+\.)/i, "")} ${port}`

const localEnd = ({ localAddress, localPort }: Ends): string => endText(localAddress, localPort)
const remoteEnd = ({ remoteAddress, remotePort }: Ends): string => endText(remoteAddress, remotePort)

/**
 * Both ends of a connection to the daemon, as the client and the daemon see them if they are connected directly. Both
 * proofs include the ends, so neither another user who listens on the same port of another address nor a proxy can
 * relay a proof.
 */
export const endsOfClient = (socket: Ends): string => `${localEnd(socket)} ${remoteEnd(socket)}`

/** The text of `endsOfClient`, from the daemon's end of the connection. */
export const endsOfDaemon = (socket: Ends): string => `${remoteEnd(socket)} ${localEnd(socket)}`

/** The daemon's proof for `nonce` on the connection with these ends. */
export const serverProof = (key: Uint8Array, nonce: string, ends: string): string =>
  mac(key, `credsvc/server-id/v3\n${nonce}\n${ends}`)

const clientMac = (key: Uint8Array, nonce: string, ends: string, time: number): string =>
  mac(key, `credsvc/client/v3\n${nonce}\n${ends}\n${time}`)

/** The client's proof, as a header value: the time in Unix milliseconds and a MAC over the time, nonce and ends. */
export const clientHello = (key: Uint8Array, nonce: string, ends: string, now: number): string =>
  `${now}.${clientMac(key, nonce, ends, now)}`

/** Whether a daemon accepts a proof of this time: it differs from the daemon's time by at most `millis`, and is not before its start. */
export const isRecent = (
  time: number,
  millis: number,
  { now, startedAt }: { readonly now: number; readonly startedAt: number }
): boolean => time >= startedAt && Math.abs(now - time) <= millis

/**
 * Whether `hello` is a recent proof with this key for this nonce and connection. A proof from before `startedAt` is
 * rejected, because it may have been sent to a program that used the port before the daemon. The caller must accept
 * each nonce only once.
 */
export const isClientHello = (key: Uint8Array, hello: string, expected: {
  readonly nonce: string
  readonly ends: string
  readonly now: number
  readonly startedAt: number
}): boolean => {
  const match = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(hello)
  if (match === null) return false
  const time = Number(match[1])
  if (!isRecent(time, helloWindow, expected)) return false
  return isSameSecret(match[2] ?? "", clientMac(key, expected.nonce, expected.ends, time))
}

const keyIn = (file: string, key: Uint8Array) =>
  key.length === keyBytes
    ? Effect.succeed(key)
    : Effect.fail(new SecureFiles.SecureFileError({ path: file, problem: "io" }))

const readKey = ({ accessKey: file }: HomePaths) =>
  Effect.flatMap(SecureFiles.readFile(file, { maxBytes: 1024 }), (key) => keyIn(file, key))

/** Reads the key, or creates it if this home has none. Racing callers get the same key. */
export const ensureAccessKey = (paths: HomePaths): Effect.Effect<Uint8Array, SecureFiles.SecureFileError> =>
  Effect.catchIf(readKey(paths), (error) => error.problem === "not_found", () =>
    Effect.flatMap(
      SecureFiles.createOnce(paths.accessKey, builtins.crypto.randomBytes(keyBytes)),
      ({ bytes }) => keyIn(paths.accessKey, bytes)
    ))

/** Reads the key, or returns undefined if this home has none or the file cannot be trusted. */
export const findAccessKey = (paths: HomePaths): Effect.Effect<Uint8Array | undefined> =>
  Effect.orElseSucceed(readKey(paths), () => undefined)
