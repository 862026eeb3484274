import * as Effect from "effect/Effect"

/** Sets the umask to 0, so that files are as accessible as their creation mode allows, until the scope closes. */
export const permissiveUmask = Effect.acquireRelease(
  Effect.sync(() => process.umask(0)),
  (before) => Effect.sync(() => process.umask(before))
)
