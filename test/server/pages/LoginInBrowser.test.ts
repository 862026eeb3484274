/** Logins at an authorization server in a real browser, to check that the pages' policies do not block them. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Page } from "playwright-core"
import { hasChromium } from "../../support/Browser.ts"
import { confidentialClient, type OidcServer, openOidcServer, publicClient } from "../../support/OidcServer.ts"
import { sharedBrowser } from "../../support/SharedBrowser.ts"
import { startTestDaemon, type TestDaemonShape } from "../../support/TestDaemon.ts"
import { writeConfig } from "../../support/TestSites.ts"

const definition = (name: string, oauth: object = {}) => ({
  schema_version: 1,
  name,
  display_name: "Acme",
  auth_type: "oauth2",
  flow: "pkce",
  flows: ["pkce", "device_code"],
  api_url: "https://api.example.test",
  oauth: { issuer: "https://as.example.test", scopes: ["openid", "offline_access", "read"], ...oauth }
})

interface World {
  readonly daemon: TestDaemonShape
  readonly page: Page
  /** Violations of a page's content security policy. */
  readonly complaints: ReadonlyArray<string>
}

let server: OidcServer
beforeAll(async () => {
  server = await openOidcServer()
})
afterAll(() => server.close())

const open = sharedBrowser(() => [
  `--host-resolver-rules=MAP as.example.test:443 127.0.0.1:${server.site.port}`,
  "--ignore-certificate-errors"
])

const inBrowser = (title: string, body: (world: World) => Promise<void>) =>
  it.live.skipIf(!hasChromium)(title, () =>
    Effect.scoped(Effect.gen(function*() {
      const home = yield* Effect.acquireRelease(
        Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "credsvc-browser-")))),
        (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
      )
      writeConfig(home, server.sites)
      const daemon = yield* startTestDaemon({ home })
      for (const document of [definition("own-app"), definition("shared-app", { client_id: publicClient.client_id })]) {
        yield* daemon.request("/providers", { method: "POST", body: document })
      }
      const page = yield* open({ ignoreHTTPSErrors: true })
      const complaints: Array<string> = []
      page.on("console", (message) => {
        if (/Content Security Policy/i.test(message.text())) complaints.push(message.text())
      })
      yield* Effect.promise(() => body({ daemon, page, complaints }))
    })))

const start = async (daemon: TestDaemonShape, login: object) =>
  (await Effect.runPromise(daemon.request("/auth/sessions", { method: "POST", body: login }))).json

describe("Login in a browser", () => {
  inBrowser("leads from the form to the provider and back to a URL without the code", async (world) => {
    const { complaints, daemon, page } = world
    const session = await start(daemon, { provider: "own-app" })
    await page.goto(session.next_action.url)
    await page.getByLabel("Client ID").fill(confidentialClient.client_id)
    await page.getByLabel("Client secret").fill(confidentialClient.client_secret)
    await page.getByRole("button", { name: "Connect" }).click()
    await page.getByRole("link", { name: "Continue to as.example.test" }).click()
    await page.getByRole("button", { name: /Allow/ }).click()
    await page.getByRole("heading", { name: "Acme is connected" }).waitFor()
    assert.strictEqual(page.url(), `${daemon.url}/auth/sessions/${session.session_id}/input`)
    assert.deepStrictEqual(complaints, [])
    const inspector = await page.context().newCDPSession(page)
    const { entries } = await inspector.send("Page.getNavigationHistory")
    assert.isAbove(entries.length, 2)
    for (const { url } of entries) assert.notMatch(url, /\/auth\/callback\/oauth|[?&]code=/)
  })

  inBrowser("ends on the dashboard if it started there", async ({ complaints, daemon, page }) => {
    await page.goto(`${daemon.url}/ui/apps/shared-app`)
    await page.getByRole("button", { name: "Connect" }).click()
    await page.locator("a[href^=\"https://as.example.test\"]").click()
    await page.getByRole("button", { name: /Allow/ }).click()
    await page.waitForURL(`${daemon.url}/ui/apps/shared-app?notice=*`)
    assert.deepStrictEqual(complaints, [])
  })

  inBrowser("detects that a user code was entered on another device", async ({ daemon, page }) => {
    const asked = await start(daemon, { provider: "shared-app", flow: "device_code" })
    await page.goto(asked.next_action.url)
    await page.getByText(asked.next_action.user_code).waitFor()
    await server.user.walk(asked.next_action.verification_uri_complete)
    await page.getByRole("heading", { name: "Acme is connected" }).waitFor()
  })
})
