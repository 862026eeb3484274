import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { testsWith } from "./Fixture.ts"
import { temporaryDirectory } from "./TemporaryDirectory.ts"
import { type Returned, toEffect } from "./TestBody.ts"
import { startTestDaemon } from "./TestDaemon.ts"

/** Registers tests with a daemon of their own, whose home is filled first. */
export const daemonTests = (prepare: (home: string) => Returned<unknown, Scope.Scope> = () => Effect.void) =>
  testsWith(Effect.gen(function*() {
    const home = yield* temporaryDirectory
    yield* toEffect(prepare(home))
    return yield* startTestDaemon({ home })
  })).live
