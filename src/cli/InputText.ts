/** Reads what the user gives to a flag or an argument, as text. */
import * as Effect from "effect/Effect"
import { InvalidRequestError } from "../domain/Errors.ts"
import { readBounded, readStream } from "../platform/ReadFile.ts"

interface Source {
  /** Undefined for stdin. */
  readonly file?: string | undefined
  /** The flag or argument that requires the input. Error messages name it. */
  readonly flag: string
  readonly maxKib?: number
}

/** Fails if the source is unreadable or larger than `maxKib`, 256 by default. */
export const readText = ({ file, flag, maxKib = 256 }: Source): Effect.Effect<string, InvalidRequestError> => {
  const maxBytes = maxKib * 1024
  return (file === undefined ? readStream(process.stdin, maxBytes) : readBounded(file, maxBytes)).pipe(
    Effect.map((bytes) => bytes.toString("utf8")),
    Effect.mapError((obstacle) => InvalidRequestError.of([{ path: flag, message: `${file ?? "stdin"} ${obstacle}` }]))
  )
}
