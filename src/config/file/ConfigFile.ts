import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { isSameStamp, type Stamp, stampOf } from "../../platform/files/DirectoryState.ts"
import * as SecureFiles from "../../platform/files/SecureFiles.ts"
import { Paths } from "../Paths.ts"
import { type ConfigDocument, type ConfigProblem, defaults } from "./ConfigDocument.ts"
import { readPlainConfig } from "./PlainConfig.ts"

/** `config.json` is invalid or unreadable. It is never replaced or ignored, so that the user can repair it. */
export class ConfigFileError extends Data.TaggedError("ConfigFileError")<{
  readonly file: string
  readonly problems: ReadonlyArray<ConfigProblem>
}> {
  override get message(): string {
    const problems = this.problems.map(({ path, message }) => path === "" ? message : `${path}: ${message}`)
    return `Invalid settings in ${this.file}: ${problems.join("; ")}`
  }
}

const loadFormat = Effect.promise(() => import("./ConfigFormat.ts"))

export class ConfigFile extends Context.Service<ConfigFile, {
  /** Reads the current document, with manual edits. A missing file reads as an empty document. */
  readonly read: Effect.Effect<ConfigDocument, ConfigFileError>

  /** Changes the document and writes it atomically. A file that cannot be read is not overwritten. */
  readonly update: (
    change: (document: ConfigDocument) => ConfigDocument
  ) => Effect.Effect<ConfigDocument, ConfigFileError>
}>()("credsvc/config/ConfigFile") {
  static readonly layerNoDeps: Layer.Layer<ConfigFile, never, Paths> = Layer.effect(
    ConfigFile,
    Effect.gen(function*() {
      const { config: file, home } = yield* Paths
      const lock = yield* Semaphore.make(1)

      const unusable = (error: SecureFiles.SecureFileError) =>
        new ConfigFileError({ file, problems: [{ path: "", message: error.message }] })

      const parse = (bytes: Uint8Array) => {
        const plain = readPlainConfig(bytes)
        if (plain !== undefined) return Effect.succeed(plain)
        return Effect.flatMap(loadFormat, ({ parseConfig }) =>
          Effect.mapError(
            Effect.fromResult(parseConfig(bytes)),
            (problems) => new ConfigFileError({ file, problems })
          ))
      }
      let cached: { readonly stamp: Stamp; readonly document: ConfigDocument } | undefined

      const read = Effect.suspend(() => {
        const before = stampOf(file)
        if (cached !== undefined && isSameStamp(cached.stamp, before)) return Effect.succeed(cached.document)
        return SecureFiles.readFile(file, { maxBytes: 1024 * 1024 }).pipe(
          Effect.mapError((error) => error.problem === "not_found" ? error : unusable(error)),
          Effect.flatMap(parse),
          Effect.catchTag("SecureFileError", () => Effect.succeed(defaults)),
          Effect.tap((document) =>
            Effect.sync(() => {
              cached = { stamp: before, document }
            })
          )
        )
      })

      const update = Effect.fn("ConfigFile.update")(function*(change: (document: ConfigDocument) => ConfigDocument) {
        // Another process may write between our read and our rename. Reading again keeps its change.
        while (true) {
          const before = stampOf(file)
          const document = change(yield* read)
          const bytes = (yield* loadFormat).formatConfig(document)
          const written = yield* parse(bytes)
          yield* Effect.mapError(SecureFiles.ensurePrivateDirectory(home), unusable)
          if (!isSameStamp(stampOf(file), before)) continue
          yield* Effect.mapError(SecureFiles.replaceFile(file, bytes), unusable)
          return written
        }
      })

      return ConfigFile.of({ read, update: (change) => lock.withPermits(1)(update(change)) })
    })
  )
}
