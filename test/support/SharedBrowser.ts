/** Tests of the daemon's pages in a browser: one browser per file, because starting it takes longer than most tests. */
import { assert, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll } from "vitest"
import { hasChromium, launch } from "./Browser.ts"
import { movableClock } from "./MovableClock.ts"
import { harnessOf, type SessionDocument } from "./OAuthHarness.ts"
import { programTimeout } from "./ProgramTimeout.ts"
import { temporaryDirectory } from "./TemporaryDirectory.ts"
import { type Answer, type RequestOptions, startTestDaemon, type TestDaemonShape } from "./TestDaemon.ts"

export type OpenPage = (options?: BrowserContextOptions) => Effect.Effect<Page, Error, Scope.Scope>

/**
 * Opens pages in one browser. The first page starts the browser, with the flags of that moment. Each page has its own
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

export interface World {
  readonly daemon: TestDaemonShape
  readonly page: Page
  readonly open: (options?: BrowserContextOptions) => Promise<Page>
  readonly request: (target: string, options?: RequestOptions) => Promise<Answer>
  /** Starts a login as a client does. */
  readonly start: (login: object) => Promise<SessionDocument>
  /** Stores an API key. */
  readonly connect: (provider: string, connection?: string, key?: string) => Promise<SessionDocument>
  /** Advances the daemon's clock. */
  readonly pass: (duration: Duration.Input) => Promise<void>
}

export interface WorldOptions {
  readonly flags?: () => ReadonlyArray<string>
  readonly context?: BrowserContextOptions
  /** Fills the home before the daemon starts. */
  readonly prepare?: (home: string) => Effect.Effect<void, unknown>
  readonly register?: ReadonlyArray<object>
  /** Error statuses that the daemon sends in these tests. Undefined to expect any error, on any site. */
  readonly statuses?: ReadonlyArray<number>
  /** Whether the pages lead to other sites. */
  readonly sites?: boolean
}

/** Collects what the browser reports about the daemon's pages, and requests to other sites. */
const watch = (page: Page, url: string, { sites = false, statuses = [] }: WorldOptions, complaints: Array<string>) => {
  const expected = new RegExp(`status of (${statuses.join("|")}) `)
  page.on("console", (message) => {
    const ours = message.type() === "error" && page.url().startsWith(url)
    if (ours && !expected.test(message.text())) complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(String(error)))
  page.on("request", (request) => {
    if (!sites && !new RegExp(`^(?:data:|blob:|${url}/)`).test(request.url())) complaints.push(request.url())
  })
}

/** Registers tests with a daemon of their own and pages of one browser, which must report no errors. */
export const browserTests = (options: WorldOptions = {}) => {
  const newPage = sharedBrowser(options.flags)
  return (title: string, body: (world: World) => Promise<void>, changes: WorldOptions = {}) =>
    it.live.skipIf(!hasChromium)(title, () =>
      Effect.gen(function*() {
        const { context, prepare = () => Effect.void, register = [], ...rules } = { ...options, ...changes }
        const home = yield* temporaryDirectory
        yield* prepare(home)
        const { clock, pass } = yield* movableClock
        const daemon = yield* Effect.provideService(startTestDaemon({ home }), Clock.Clock, clock)
        const harness = harnessOf(daemon)
        for (const definition of register) {
          const registered = yield* harness.register(definition)
          assert.strictEqual(registered.status, 201, registered.body)
        }
        const scope = yield* Effect.scope
        const complaints: Array<string> = []
        const open = async (own: BrowserContextOptions = {}) => {
          const page = await Effect.runPromise(Scope.provide(newPage({ ...context, ...own }), scope))
          if (rules.statuses !== undefined) watch(page, daemon.url, rules, complaints)
          return page
        }
        const page = yield* Effect.promise(() => open())
        yield* Effect.tryPromise({
          try: () =>
            body({
              daemon,
              page,
              open,
              request: (target, request) => Effect.runPromise(daemon.request(target, request)),
              start: (login) => Effect.runPromise(harness.start(login)),
              connect: (...connection) => Effect.runPromise(harness.connect(...connection)),
              pass: (duration) => Effect.runPromise(pass(duration))
            }),
          catch: (cause) => cause
        })
        assert.deepStrictEqual(complaints, [])
      }), 240_000)
}
