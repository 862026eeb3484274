/**
 * A file that tells a proxy, without a query, whether it may reuse a response of the daemon
 * (docs/decisions/0045-reused-responses.md). The daemon replaces the mark in it with every commit, and before it responds
 * to any request that may have changed something.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import { Paths } from "../../config/Paths.ts"
import { holdMillis, markLength } from "../../domain/wire/ResolveMessages.ts"
import { builtins } from "../../platform/builtins.ts"
import { StoreManifest } from "../../vault/manifest/StoreManifest.ts"

const make = Effect.gen(function*() {
  const { changeMark: path } = yield* Paths
  const manifest = yield* StoreManifest
  let file: number | undefined
  let content = ""
  /** Whether a response with the current mark may have been sent. */
  let isGiven = true

  const close = (): void => {
    if (file !== undefined) fs.closeSync(file)
    file = undefined
  }
  /** Invalidates all responses that carry an earlier mark. */
  const replace = (): void => {
    if (!isGiven || file === undefined) return
    isGiven = false
    content = builtins.crypto.randomBytes(markLength).toString("base64url").slice(0, markLength)
    try {
      fs.writeSync(file, content, 0)
    } catch {
      // If the file cannot be changed, its content may still be valid for proxies, so the daemon waits until they
      // stop trusting it.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, holdMillis)
      close()
    }
  }
  const open = (): void => {
    try {
      file = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW, 0o600)
    } catch {
      // Without the file, proxies ask before each request.
    }
    replace()
  }
  yield* Effect.acquireRelease(Effect.sync(open), () =>
    Effect.sync(() => {
      replace()
      close()
    }))
  yield* manifest.onChange(replace)
  return {
    path,
    /**
     * Returns the content of the file, for a response that may be reused while the file keeps it, or undefined if the
     * file cannot be written.
     */
    current: () => {
      isGiven = true
      return file === undefined ? undefined : content
    },
    replace
  }
})

export class ChangeMark
  extends Context.Service<ChangeMark, Effect.Success<typeof make>>()("credsvc/server/ChangeMark")
{
  static readonly layerNoDeps = Layer.effect(ChangeMark, make)
}
