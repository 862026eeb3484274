import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Returned, toEffect } from "./TestBody.ts"
import { startTestDaemon, temporaryHome, type TestDaemonShape } from "./TestDaemon.ts"

/** Registers tests with a daemon of their own, whose home is filled first. */
export const daemonTests =
  (prepare: (home: string) => Returned<unknown, Scope.Scope> = () => Effect.void) =>
  (title: string, body: (daemon: TestDaemonShape) => Returned<unknown, Scope.Scope>) =>
    it.live(title, () =>
      Effect.gen(function*() {
        const home = yield* temporaryHome
        yield* toEffect(prepare(home))
        yield* toEffect(body(yield* startTestDaemon({ home })))
      }))
