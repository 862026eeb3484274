/**
 * A file by which a proxy knows, without asking, that it may reuse a response of the daemon
 * (docs/decisions/0045-answers-that-hold.md). Its content changes before the daemon responds to a request, whatever
 * that has changed, and with every commit.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import { Paths } from "../../config/Paths.ts"
import { holdMillis, markLength } from "../../domain/wire/ResolveMessages.ts"
import { builtins } from "../../platform/builtins.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"

export class ChangeMark extends Context.Service<ChangeMark, {
  readonly path: string
  /**
   * The content of the file, for a response that may be reused as long as it is the same. Undefined if the file cannot
   * be written.
   */
  readonly current: () => string | undefined
  /** Invalidates all responses that were marked so far. */
  readonly replace: () => void
}>()("credsvc/server/ChangeMark") {
  static readonly layerNoDeps = Layer.effect(
    ChangeMark,
    Effect.gen(function*() {
      const { changeMark: path } = yield* Paths
      const manifest = yield* StoreManifest
      let file: number | undefined
      let content = ""
      /** Whether a response may have been sent with the current content. */
      let isGiven = true

      const close = (): void => {
        if (file !== undefined) fs.closeSync(file)
        file = undefined
      }
      const replace = (): void => {
        if (!isGiven || file === undefined) return
        isGiven = false
        content = builtins.crypto.randomBytes(markLength).toString("base64url").slice(0, markLength)
        try {
          fs.writeSync(file, content, 0)
        } catch {
          // The file may still have the content that was given.
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, holdMillis)
          close()
        }
      }
      const open = (): void => {
        try {
          file = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW, 0o600)
        } catch {
          // Proxies ask for each request.
        }
        replace()
      }
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          open()
          return manifest.onChange(replace)
        }),
        (unsubscribe) =>
          Effect.sync(() => {
            unsubscribe()
            replace()
            close()
          })
      )
      return ChangeMark.of({
        path,
        current: () => {
          isGiven = true
          return file === undefined ? undefined : content
        },
        replace
      })
    })
  )
}
