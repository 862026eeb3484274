/** Test functions for tests that share a set-up. */
import { it, type Vitest } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { type Returned, toEffect } from "./TestBody.ts"

type Timeout = Parameters<Vitest.Test<Scope.Scope>>[2]

export type Body<Fixture, R = Scope.Scope> = (fixture: Fixture) => Returned<void, R>

/** `it.effect` and `it.live` with a set-up: until it ends, each test has its own fixture, and the services of the layer. */
export const testsWith = <Fixture, R = never>(
  setUp: Effect.Effect<Fixture, unknown, Scope.Scope>,
  layerOf: (fixture: Fixture) => Layer.Layer<R, unknown> = () => Layer.empty as never
) => {
  const using =
    (test: Vitest.Test<Scope.Scope>) =>
    (title: string, body: Body<Fixture, R | Scope.Scope>, timeout?: Timeout): void =>
      test(
        title,
        () =>
          Effect.flatMap(
            setUp,
            (fixture) => Effect.suspend(() => toEffect(body(fixture))).pipe(Effect.provide(layerOf(fixture)))
          ),
        timeout
      )
  const tests = (tester: Vitest.Tester<Scope.Scope>) =>
    Object.assign(using(tester), { skipIf: (condition: boolean) => using(tester.skipIf(condition)) })
  return { effect: tests(it.effect), live: tests(it.live) }
}

/** Like `testsWith`, for test bodies that `within` runs. */
export const testsIn = <Within extends (body: any) => Effect.Effect<unknown, any, Scope.Scope>>(within: Within) => ({
  effect: (title: string, body: Parameters<Within>[0]): void => it.effect(title, () => within(body)),
  live: (title: string, body: Parameters<Within>[0]): void => it.live(title, () => within(body))
})

/** Tests that need no set-up. */
export const { effect, live } = testsWith(Effect.void)

/** Waits for a promise, which must not reject. */
export const promise = <A>(run: () => Promise<A>): Effect.Effect<A> => Effect.promise(run)
