/** Reads `config.json`, and changes the active profile in it. */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { isSameStamp, type Stamp, stampOf } from "../../platform/files/DirectoryState.ts"
import * as SecureFiles from "../../platform/files/SecureFiles.ts"
import { Paths } from "../Paths.ts"
import type { ConfigDocument } from "./ConfigDocument.ts"
import type { ConfigProblem } from "./ConfigFormat.ts"
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

/** The content of a missing file. */
const empty = new TextEncoder().encode("{}")

const loadFormat = Effect.promise(() => import("./ConfigFormat.ts"))

export class ConfigFile extends Context.Service<ConfigFile, {
  /** Reads the current document, with manual edits. A missing file reads as an empty document. */
  readonly read: Effect.Effect<ConfigDocument, ConfigFileError>

  /**
   * Sets or removes the active profile, and returns the new one, if any. Writes the file atomically, with its other
   * settings unchanged. A file that cannot be read is not overwritten.
   */
  readonly setActiveProfile: (
    change: (before: string | undefined) => string | undefined
  ) => Effect.Effect<string | undefined, ConfigFileError>
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
      const content = SecureFiles.readFile(file, { maxBytes: 1024 * 1024 }).pipe(
        Effect.catchIf((error) => error.problem === "not_found", () => Effect.succeed(empty)),
        Effect.mapError(unusable)
      )
      let cached: { readonly stamp: Stamp; readonly document: ConfigDocument } | undefined

      const read = Effect.suspend(() => {
        const before = stampOf(file)
        if (cached !== undefined && isSameStamp(cached.stamp, before)) return Effect.succeed(cached.document)
        return Effect.tap(Effect.flatMap(content, parse), (document) =>
          Effect.sync(() => {
            cached = { stamp: before, document }
          }))
      })

      const setActiveProfile = Effect.fn("ConfigFile.setActiveProfile")(
        function*(change: (before: string | undefined) => string | undefined) {
          const before = stampOf(file)
          const bytes = yield* content
          const active_profile = change((yield* parse(bytes)).activeProfile)
          const settings = { version: 1, ...JSON.parse(new TextDecoder().decode(bytes)), active_profile }
          const changed = new TextEncoder().encode(`${JSON.stringify(settings, null, 2)}\n`)
          const { activeProfile } = yield* parse(changed)
          yield* Effect.mapError(SecureFiles.ensurePrivateDirectory(home), unusable)
          // Another process may have written the file meanwhile. The next attempt keeps its change.
          if (!isSameStamp(stampOf(file), before)) return undefined
          yield* Effect.mapError(SecureFiles.replaceFile(file, changed), unusable)
          return { activeProfile }
        },
        Effect.repeat({ until: (written) => written !== undefined }),
        Effect.map((written) => written?.activeProfile),
        lock.withPermits(1)
      )

      return ConfigFile.of({ read, setActiveProfile })
    })
  )
}
