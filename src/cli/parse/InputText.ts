/** Reads the file or stdin to which a flag or an argument refers. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as path from "node:path"
import { InvalidRequestError } from "../../domain/Errors.ts"
import { readBounded, readStream } from "../../platform/files/BoundedRead.ts"
import type { Prepare } from "../api/OperationCall.ts"

interface Source {
  /** The path of a file. If undefined, stdin is read. */
  readonly file?: string | undefined
  /** The flag or argument that requires the input. Error messages name it. */
  readonly flag: string
  readonly maxKib?: number
}

/** Reads the source as text. Fails if it is unreadable or larger than `maxKib`, 256 by default. */
export const readText = (source: Source): Effect.Effect<string, InvalidRequestError> =>
  Effect.map(readBytes(source), (bytes) => bytes.toString("utf8"))

/** Reads the source. Fails if it is unreadable or larger than `maxKib`, 256 by default. */
export const readBytes = ({ file, flag, maxKib = 256 }: Source): Effect.Effect<Buffer, InvalidRequestError> => {
  const maxBytes = maxKib * 1024
  if (file === undefined && /stream|\*/i.test(process.env["NODE_DEBUG"] ?? "")) {
    return Effect.fail(InvalidRequestError.at(flag, "cannot read stdin while NODE_DEBUG makes Node print it"))
  }
  return Effect.mapError(
    file === undefined ? readStream(process.stdin, maxBytes) : readBounded(file, maxBytes),
    (obstacle) => InvalidRequestError.at(flag, `${file ?? "stdin"} ${obstacle}`)
  )
}

/** The body of a rotation with a master key from stdin. */
export const readMasterKey: Prepare = ({ stdin }) =>
  stdin === true
    ? Effect.map(readText({ flag: "--stdin", maxKib: 1 }), (key) => ({ new_key: { base64: key.trim() } }))
    : Effect.void

/** The body of a backup, whose file the daemon writes. */
export const backupFile: Prepare = ({ file }) => Effect.sync(() => ({ file: path.resolve(String(file)) }))

/** The fields of a trust that are not plain parameters, and its keys from a file. */
export const readTrust: Prepare = ({ claims, jwks, providers }) =>
  Option.isOption(jwks) && Option.isSome(jwks)
    ? Effect.map(
      readText({ file: String(jwks.value), flag: "--jwks", maxKib: 64 }),
      (keys) => ({ claims, providers, keys })
    )
    : Effect.succeed({ claims, providers })
