/** Loads a command's handler together with the services of the home directory, and provides them to it. */
import * as Effect from "effect/Effect"

export const atHome = <E, R>(load: () => Promise<Effect.Effect<void, E, R>>) =>
  Effect.flatMap(
    Effect.promise(() => Promise.all([load(), import("./Home.ts")])),
    ([handler, { provideHome }]) => provideHome(handler)
  )
