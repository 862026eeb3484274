/** Fails with a published error, and loads the module of the errors only then. */
import * as Effect from "effect/Effect"
import type * as Errors from "./Errors.ts"

/**
 * Fails with the error that `make` creates from the classes of `Errors.ts`. Creating all of those classes takes a tenth
 * of the time of a short command.
 */
export const failWith = <E>(make: (errors: typeof Errors) => E): Effect.Effect<never, E> =>
  Effect.flatMap(Effect.promise(() => import("./Errors.ts")), (errors) => Effect.fail(make(errors)))

/** Fails because no daemon responded as expected. `url` is its address, empty if there is none yet. */
export const unavailable = (detail: string, url = ""): Effect.Effect<never, Errors.DaemonUnavailableError> =>
  failWith(({ DaemonUnavailableError }) => new DaemonUnavailableError({ url, detail }))
