/**
 * The secret by which processes of one user recognize each other over loopback: 32 random bytes in a file that only
 * that user can read.
 *
 * It is not a token for the daemon's routes, which require none. It saves the lookup in the kernel's socket tables,
 * and it proves to a client that the listener is this home's daemon and not another program that took the port.
 */
import * as Effect from "effect/Effect"
import { builtins } from "../platform/builtins.ts"
import * as SecureFiles from "../platform/SecureFiles.ts"
import type { HomePaths } from "./Paths.ts"

export const clientHeader = "credsvc-client"

export const proofHeader = "credsvc-proof"

/** The accepted clock difference between two processes of one machine, in milliseconds. */
export const helloWindow = 30_000

const bytes = 32

const mac = (key: Uint8Array, message: string): string =>
  builtins.crypto.createHmac("sha256", key).update(message).digest("hex")

/**
 * The daemon's end of a connection, as both sides see it. Both proofs include the address as well as the port.
 * Otherwise another user who listens on the same port of `[::1]` or `127.0.0.2` could relay the handshake to the
 * daemon and read all later messages.
 */
export const endpointOf = (address: string | undefined, port: number): string =>
  `${address?.replace(/^::ffff:(?=\d+\.)/i, "") ?? "unknown"} ${port}`

/** The daemon's proof for `nonce` at this endpoint. A listener at another endpoint cannot relay it as its own. */
export const serverProof = (key: Uint8Array, nonce: string, endpoint: string): string =>
  mac(key, `credsvc/server-id/v2\n${nonce}\n${endpoint}`)

const clientMac = (key: Uint8Array, nonce: string, endpoint: string, time: number): string =>
  mac(key, `credsvc/client/v2\n${nonce}\n${endpoint}\n${time}`)

/** The client's proof, as a header value: the time in Unix milliseconds and a MAC over the time, nonce and endpoint. */
export const clientHello = (key: Uint8Array, nonce: string, endpoint: string, now: number): string =>
  `${now}.${clientMac(key, nonce, endpoint, now)}`

/**
 * Whether `hello` is a recent proof with this key for this nonce and endpoint. A proof from before `startedAt` is
 * rejected, because it may have been sent to a program that used the port before the daemon. The caller must accept
 * each nonce only once.
 */
export const isClientHello = (key: Uint8Array, hello: string, expected: {
  readonly nonce: string
  readonly endpoint: string
  readonly now: number
  readonly startedAt: number
}): boolean => {
  const match = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(hello)
  if (match === null) return false
  const time = Number(match[1])
  if (time < expected.startedAt || Math.abs(expected.now - time) > helloWindow) return false
  return sameProof(match[2] ?? "", clientMac(key, expected.nonce, expected.endpoint, time))
}

export const sameProof = (left: string, right: string): boolean => {
  const { createHash, timingSafeEqual } = builtins.crypto
  const digest = (text: string) => createHash("sha256").update(text).digest()
  return timingSafeEqual(digest(left), digest(right))
}

const checked = (file: string, key: Uint8Array) =>
  key.length === bytes
    ? Effect.succeed(key)
    : Effect.fail(new SecureFiles.SecureFileError({ path: file, problem: "io" }))

/** Reads the key, or creates it if this home has none. Racing callers get the same key. */
export const ensureAccessKey = (paths: HomePaths): Effect.Effect<Uint8Array, SecureFiles.SecureFileError> =>
  SecureFiles.readFile(paths.accessKey, { maxBytes: 1024 }).pipe(
    Effect.catchIf(
      (error) => error.problem === "not_found",
      () =>
        Effect.map(SecureFiles.createOnce(paths.accessKey, builtins.crypto.randomBytes(bytes)), (file) => file.bytes)
    ),
    Effect.flatMap((key) => checked(paths.accessKey, key))
  )

/** Undefined if this home has no key or the file cannot be trusted. */
export const findAccessKey = (paths: HomePaths): Effect.Effect<Uint8Array | undefined> =>
  SecureFiles.readFile(paths.accessKey, { maxBytes: 1024 }).pipe(
    Effect.flatMap((key) => checked(paths.accessKey, key)),
    Effect.orElseSucceed(() => undefined)
  )
