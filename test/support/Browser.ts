/** Headless Chromium with default settings, except for a resolver that sends every `*.test` name to this machine. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import { type Browser, chromium } from "playwright-core"

const executablePath = "/usr/bin/chromium"

export const hasChromium = fs.existsSync(executablePath)

if (!hasChromium) console.warn(`SKIPPED: tests in a browser need ${executablePath}`)

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // The daemon must not depend on this flag, which other browsers do not have.
  "--disable-features=LocalNetworkAccessChecks",
  "--host-resolver-rules=MAP *.test 127.0.0.1",
  "--proxy-server=direct://"
]

export const launch = (more: ReadonlyArray<string> = []): Promise<Browser> =>
  chromium.launch({ executablePath, args: [...flags, ...more] })

export const launchBrowser = (more: ReadonlyArray<string> = []): Effect.Effect<Browser, Error, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => launch(more),
      catch: (cause) => cause as Error
    }),
    (browser) => Effect.promise(() => browser.close())
  )
