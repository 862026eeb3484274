import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Page } from "playwright-core"
import { violationsOn } from "../../support/Accessibility.ts"
import { hasChromium } from "../../support/Browser.ts"
import { type MovableClock, movableClock } from "../../support/MovableClock.ts"
import { confidentialClient, type OidcServer, openOidcServer, publicClient } from "../../support/OidcServer.ts"
import { type OpenPage, sharedBrowser } from "../../support/SharedBrowser.ts"
import { startTestDaemon, type TestDaemonShape } from "../../support/TestDaemon.ts"
import { writeConfig } from "../../support/TestSites.ts"

const host = "as.example.test"

const definition = (name: string, oauth: object = {}) => ({
  name,
  display_name: "Acme",
  auth_type: "oauth2",
  flow: "pkce",
  flows: ["pkce", "device_code"],
  api_url: "https://api.example.test",
  credentials_url: "https://console.example.test/apps",
  oauth: { issuer: `https://${host}`, scopes: ["openid", "offline_access", "read"], ...oauth }
})

interface World {
  readonly daemon: TestDaemonShape
  readonly open: OpenPage
  /** Advances the daemon's clock. */
  readonly pass: MovableClock["pass"]
}

let server: OidcServer
beforeAll(async () => {
  server = await openOidcServer()
})
afterAll(() => server.close())

const newPage = sharedBrowser(() => [`--host-resolver-rules=MAP ${host}:443 127.0.0.1:${server.site.port}`])

const promise = <A>(run: () => Promise<A>): Effect.Effect<A, Error> =>
  Effect.tryPromise({ try: run, catch: (cause) => cause as Error })

/** A dashboard and a certified authorization server, which the browser and the daemon reach under its public name. */
const live = (title: string, body: (world: World) => Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live(title, () =>
    Effect.gen(function*() {
      const home = yield* Effect.acquireRelease(
        Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-login-")))),
        (home) => Effect.sync(() => fs.rmSync(home, { recursive: true, force: true }))
      )
      writeConfig(home, server.sites)
      const { clock, pass } = yield* movableClock
      const daemon = yield* Effect.provideService(startTestDaemon({ home }), Clock.Clock, clock)
      for (const document of [definition("own-app"), definition("shared-app", publicClient)]) {
        const registered = yield* daemon.request("/providers", { method: "POST", body: document })
        assert.strictEqual(registered.status, 201, registered.body)
      }
      const complaints: Array<string> = []
      const open: OpenPage = (context) =>
        Effect.map(newPage({ ignoreHTTPSErrors: true, ...context }), (page) => {
          page.on("console", (message) => {
            const ours = message.type() === "error" && page.url().startsWith(daemon.url)
            // The daemon responds with an error page and status.
            if (ours && !/status of (400|403|404|409|410|429)/.test(message.text())) complaints.push(message.text())
          })
          page.on("pageerror", (error) => complaints.push(String(error)))
          return page
        })
      yield* body({ daemon, open, pass })
      assert.deepStrictEqual(complaints, [])
    }).pipe(
      Effect.ensuring(Effect.sync(() => {
        server.intercept = () => "pass"
        server.redirectsAtOnce = false
      })),
      Effect.scoped
    ), 240_000)

/** Goes from the provider's page through the form for a client to the link to the authorization server. */
const toOnwardLink = async (page: Page, daemon: TestDaemonShape) => {
  await page.goto(`${daemon.url}/ui/apps/own-app`)
  await page.getByRole("button", { name: "Connect" }).click()
  await page.getByLabel(/client id/i).fill(confidentialClient.client_id)
  await page.getByLabel(/client secret/i).fill(confidentialClient.client_secret)
  await page.getByRole("button", { name: "Connect" }).click()
  const link = page.getByRole("link", { name: new RegExp(host) })
  await link.waitFor()
  return link
}

describe.runIf(hasChromium)("Login at a provider", () => {
  live(
    "leads from the dashboard to the provider and back",
    ({ daemon, open }) =>
      Effect.gen(function*() {
        const page = yield* open()
        const faults: Array<string> = []
        yield* promise(async () => {
          await page.goto(`${daemon.url}/ui/apps/own-app`)
          await page.getByRole("button", { name: "Connect" }).click()
          await page.getByRole("heading", { name: "Enter the OAuth app for Acme" }).waitFor()
          const form = await page.innerText("main")
          assert.include(form, "This provider requires your own OAuth app")
          assert.include(form, "/auth/callback/oauth")
          assert.include(form, host)
          faults.push(...await violationsOn(page))
          await page.getByLabel(/client id/i).fill(confidentialClient.client_id)
          await page.getByLabel(/client secret/i).fill(confidentialClient.client_secret)
          await page.getByRole("button", { name: "Connect" }).click()
          await page.getByRole("link", { name: `Continue to ${host}` }).waitFor()
          faults.push(...await violationsOn(page))
          await page.keyboard.press("Enter")
          await page.getByRole("button", { name: "Allow confidential-app" }).click()
          await page.getByRole("heading", { name: "Connections" }).waitFor()
          const { pathname, searchParams } = new URL(page.url())
          assert.strictEqual(pathname, "/ui/apps/own-app")
          assert.deepStrictEqual([...searchParams.keys()], ["notice"], "the URL contains neither code nor state")
          assert.include(await page.innerText("#connections"), "connected")
          faults.push(...await violationsOn(page))
          await page.getByRole("link", { name: "Revoke", exact: true }).click()
          assert.include(await page.innerText("main"), "credsvc asks Acme to revoke the tokens")
          await page.getByRole("button", { name: "Revoke" }).click()
          await page.getByText("1 connection removed and revoked at the provider.").waitFor()
        })
        assert.isNotEmpty(server.requests.filter(({ route }) => route === "revocation"))
        assert.deepStrictEqual(faults, [])
      })
  )

  for (const javaScriptEnabled of [true, false]) {
    live(
      `ends on the dashboard ${javaScriptEnabled ? "with" : "without"} scripts when the provider redirects at once`,
      ({ daemon, open }) =>
        Effect.gen(function*() {
          const page = yield* open({ javaScriptEnabled })
          const exchanging = Promise.withResolvers<void>()
          const exchange = Promise.withResolvers<"pass">()
          server.redirectsAtOnce = true
          server.intercept = (path) => {
            if (path !== "/token") return "pass"
            exchanging.resolve()
            return exchange.promise
          }
          yield* promise(async () => {
            const link = await toOnwardLink(page, daemon)
            const visited: Array<string> = []
            page.on("request", (request) => {
              if (request.isNavigationRequest() && request.url().startsWith(daemon.url)) {
                visited.push(new URL(request.url()).pathname)
              }
            })
            const told = javaScriptEnabled ? page.waitForResponse(/\?wait=25$/) : undefined
            const clicked = link.click()
            await exchanging.promise
            // The page is notified of the callback in progress and has time for a reload, which it must not use.
            await told
            await new Promise((resolve) => setTimeout(resolve, 250))
            exchange.resolve("pass")
            await clicked
            await page.getByText("Acme is connected as default.").waitFor()
            assert.strictEqual(new URL(page.url()).pathname, "/ui/apps/own-app")
            assert.deepStrictEqual(visited, ["/auth/callback/oauth", "/ui/apps/own-app"])
          })
        })
    )
  }

  live(
    "can be continued after the provider could not be reached",
    ({ daemon, open }) =>
      Effect.gen(function*() {
        const page = yield* open()
        yield* promise(async () => {
          await page.clock.install()
          const link = await toOnwardLink(page, daemon)
          const left = page.waitForRequest(`https://${host}/**`)
          await page.route(`https://${host}/**`, (route) => route.fulfill({ status: 204 }))
          await link.click()
          await left
          const told = page.waitForResponse(/\?wait=25$/)
          const session = new URL(page.url()).pathname.replace(/\/input$/, "")
          await Effect.runPromise(daemon.request(session, { method: "DELETE" }))
          await (await told).finished()
          await page.clock.runFor(10_000)
          await page.getByText("The login was cancelled. Nothing was stored.").waitFor()
        })
      })
  )

  live(
    "has a title and a button to cancel on each of its pages, and ends on the dashboard",
    ({ daemon, open }) =>
      Effect.gen(function*() {
        const page = yield* open()
        const titles: Array<string> = []
        const cancel = async () => {
          titles.push(await page.title())
          const session = new URL(page.url()).pathname.replace(/\/\w+$/, "")
          await page.getByRole("button", { name: "Cancel" }).click()
          await page.getByText("The login was cancelled. Nothing was stored.").waitFor()
          const { json } = await Effect.runPromise(daemon.request(session))
          assert.strictEqual(json.status, "cancelled")
        }
        yield* promise(async () => {
          await page.goto(`${daemon.url}/ui/apps/own-app`)
          await page.getByRole("button", { name: "Connect" }).click()
          await page.getByLabel(/client id/i).waitFor()
          await cancel()
          await toOnwardLink(page, daemon)
          await cancel()
          await page.goto(`${daemon.url}/ui/apps/shared-app`)
          await page.getByLabel("Device code").check()
          await page.getByRole("button", { name: "Connect" }).click()
          await page.getByRole("img", { name: "QR code" }).waitFor()
          await cancel()
        })
        assert.deepStrictEqual(titles, [
          "Enter the OAuth app for Acme · credsvc",
          "Log in to Acme · credsvc",
          "Enter the code for Acme · credsvc"
        ])
      })
  )

  live(
    "shows a user code, also as a QR code, and detects that it was entered",
    ({ daemon, open }) =>
      Effect.gen(function*() {
        const page = yield* open()
        const faults: Array<string> = []
        yield* promise(async () => {
          const waits: Array<number> = []
          const again = Promise.withResolvers<void>()
          // Too many requests are waiting already, so the page asks again later, without a reload.
          await page.route(/\?wait=25$/, (route) => {
            if (waits.push(performance.now()) === 1) return route.fulfill({ status: 429 })
            again.resolve()
            return route.continue()
          })
          await page.goto(`${daemon.url}/ui/apps/shared-app`)
          await page.getByLabel("Device code").check()
          await page.getByRole("button", { name: "Connect" }).click()
          await page.getByRole("heading", { name: "Enter the code for Acme" }).waitFor()
          await page.evaluate("globalThis.kept = true")
          await page.getByRole("img", { name: "QR code of the login page" }).waitFor()
          faults.push(...await violationsOn(page))
          await page.setViewportSize({ width: 320, height: 640 })
          assert.strictEqual(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
          await again.promise
          assert.isAtLeast(waits[1]! - waits[0]!, 2500)
          assert.isTrue(await page.evaluate("globalThis.kept"))
          const link = page.getByRole("link", { name: "open the page with the code filled in" })
          const address = await link.getAttribute("href")
          await server.user.walk(String(address))
          await page.getByText("Acme is connected as default.").waitFor()
          assert.strictEqual(new URL(page.url()).pathname, "/ui/apps/shared-app")
          faults.push(...await violationsOn(page))
        })
        assert.deepStrictEqual(faults, [])
      })
  )

  live("shows the reason when it fails", ({ daemon, open }) =>
    Effect.gen(function*() {
      const page = yield* open()
      const faults: Array<string> = []
      yield* promise(async () => {
        await page.goto(`${daemon.url}/ui/apps/shared-app`)
        await page.getByRole("button", { name: "Connect" }).click()
        await page.getByRole("link", { name: `Continue to ${host}` }).click()
        await page.locator("[name=decision]").evaluate((input) => input.setAttribute("value", "deny"))
        await page.getByRole("button", { name: "Allow public-app" }).click()
        await page.getByText("Login to Acme failed.").waitFor()
        assert.strictEqual(new URL(page.url()).pathname, "/ui/apps/shared-app")
        assert.include(await page.innerText("main"), "Ada said no")
        faults.push(...await violationsOn(page))
        for (
          const place of [
            "/auth/callback/oauth?state=x&error=access_denied&error_description=%3Cb%3EAda",
            `/auth/sessions/${"A".repeat(43)}/input`,
            "/ui/apps/shared-app/revoke"
          ]
        ) {
          await page.goto(daemon.url + place)
          assert.notInclude(await page.innerText("main"), "Ada")
          faults.push(...await violationsOn(page))
        }
      })
      assert.deepStrictEqual(faults, [])
    }))

  live(
    "reports that it is waiting, that a form was already submitted, and that it has expired",
    ({ daemon, open, pass }) =>
      Effect.gen(function*() {
        const page = yield* open()
        const other = yield* open()
        const faults: Array<string> = []
        const start = (provider: string) =>
          Effect.map(
            daemon.request("/auth/sessions", { method: "POST", body: { provider } }),
            ({ json }) => `${daemon.url}/auth/sessions/${json.session_id}/input`
          )
        /** Makes the form tokens on a page stale. */
        const spoil = (form: Page) =>
          form.evaluate("for (const input of document.getElementsByName('form_token')) input.value = 'of yesterday'")
        const sent = yield* start("own-app")
        yield* promise(async () => {
          await other.goto(sent)
          await other.getByLabel(/client id/i).fill(confidentialClient.client_id)
          await spoil(other)
          await other.getByRole("button", { name: "Connect" }).click()
          await other.getByRole("heading", { name: "Form for Acme already submitted" }).waitFor()
          faults.push(...await violationsOn(other))
          await other.goto(`${daemon.url}/ui/apps/shared-app`)
          await spoil(other)
          await other.getByRole("button", { name: "Connect" }).click()
          await other.getByRole("heading", { name: "This page is outdated" }).waitFor()
          faults.push(...await violationsOn(other))
        })

        const asked = Promise.withResolvers<void>()
        const answered = Promise.withResolvers<"pass">()
        server.intercept = (path) => {
          if (path !== "/token") return "pass"
          asked.resolve()
          return answered.promise
        }
        const waiting = yield* start("shared-app")
        yield* promise(async () => {
          await page.goto(waiting)
          await page.getByRole("link", { name: `Continue to ${host}` }).click()
          const clicked = page.getByRole("button", { name: "Allow public-app" }).click()
          await asked.promise
          await other.goto(waiting)
          await other.getByRole("heading", { name: "Finishing the login to Acme" }).waitFor()
          faults.push(...await violationsOn(other))
          server.intercept = () => "pass"
          answered.resolve("pass")
          await clicked
          await other.getByRole("heading", { name: "Acme is connected" }).waitFor()
        })

        const late = yield* start("own-app")
        yield* pass("15 minutes")
        yield* promise(async () => {
          await page.goto(late)
          await page.getByRole("heading", { name: "Login expired" }).waitFor()
          faults.push(...await violationsOn(page))
        })
        assert.deepStrictEqual(faults, [])
      })
  )
})
