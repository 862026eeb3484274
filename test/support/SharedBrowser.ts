/** One browser for all tests of a file, because starting it takes longer than most of them. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll } from "vitest"
import { launch } from "./Browser.ts"
import { programTimeout } from "./ProgramTimeout.ts"

export type OpenPage = (options?: BrowserContextOptions) => Effect.Effect<Page, Error, Scope.Scope>

/**
 * Opens pages in a browser that the first of them starts, with the flags given at that time. Each page has its own
 * context, without cookies or cache, and closes with the test.
 */
export const sharedBrowser = (flags: () => ReadonlyArray<string> = () => []): OpenPage => {
  let browser: Promise<Browser> | undefined
  afterAll(async () => (await browser)?.close())
  return (options = {}) =>
    Effect.acquireRelease(
      Effect.tryPromise({
        try: async () => {
          browser ??= launch(flags())
          const page = await (await browser).newPage(options)
          page.setDefaultTimeout(programTimeout)
          return page
        },
        catch: (cause) => cause as Error
      }),
      (page) => Effect.promise(() => page.close())
    )
}
