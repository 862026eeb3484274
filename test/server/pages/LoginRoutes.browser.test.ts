/** Logins at a certified authorization server, which the browser and the daemon reach under its public name. */
import { afterAll, afterEach, assert, beforeAll, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import { violationsOn } from "../../support/Accessibility.ts"
import {
  applicationAt,
  confidentialClient,
  type OidcServer,
  openOidcServer,
  publicClient
} from "../../support/OidcServer.ts"
import { browserTests } from "../../support/SharedBrowser.ts"
import type { TestDaemonShape } from "../../support/TestDaemon.ts"
import { writeConfig } from "../../support/TestSites.ts"

const host = "as.example.test"

let server: OidcServer
beforeAll(async () => {
  server = await openOidcServer()
})
afterEach(() => {
  server.intercept = () => "pass"
  server.redirectsAtOnce = false
})
afterAll(() => server.close())

const live = browserTests({
  flags: () => [`--host-resolver-rules=MAP ${host}:443 127.0.0.1:${server.site.port}`],
  context: { ignoreHTTPSErrors: true },
  prepare: (home) => Effect.sync(() => writeConfig(home, server.sites)),
  register: [applicationAt("own-app"), applicationAt("shared-app", publicClient)],
  sites: true,
  statuses: [400, 403, 404, 409, 410, 429]
})

const enterClient = async (page: Page) => {
  await page.getByLabel(/client id/i).fill(confidentialClient.client_id)
  await page.getByLabel(/client secret/i).fill(confidentialClient.client_secret)
  await page.getByRole("button", { name: "Connect" }).click()
}

/** Goes from the provider's page through the form for a client to the link to the authorization server. */
const toOnwardLink = async (page: Page, daemon: TestDaemonShape) => {
  await page.goto(`${daemon.url}/ui/apps/own-app`)
  await page.getByRole("button", { name: "Connect" }).click()
  await enterClient(page)
  const link = page.getByRole("link", { name: new RegExp(host) })
  await link.waitFor()
  return link
}

const holdTokenRequest = () => {
  const exchanging = Promise.withResolvers<void>()
  const exchange = Promise.withResolvers<"pass">()
  server.intercept = (path) => {
    if (path !== "/token") return "pass"
    exchanging.resolve()
    return exchange.promise
  }
  return { exchange, exchanging }
}

const startDeviceLogin = async (page: Page, daemon: TestDaemonShape) => {
  await page.goto(`${daemon.url}/ui/apps/shared-app`)
  await page.getByLabel("Device code").check()
  await page.getByRole("button", { name: "Connect" }).click()
}

describe("Login at a provider", () => {
  live("leads from the dashboard to the provider and back", async ({ daemon, page }) => {
    const faults: Array<string> = []
    await page.goto(`${daemon.url}/ui/apps/own-app`)
    await page.getByRole("button", { name: "Connect" }).click()
    await page.getByRole("heading", { name: "Enter the OAuth app for Acme" }).waitFor()
    const form = await page.innerText("main")
    assert.include(form, "This provider requires your own OAuth app")
    assert.include(form, "/auth/callback/oauth")
    assert.match(form, /limits the scopes of the app, allow:\s+openid/)
    assert.include(form, host)
    faults.push(...await violationsOn(page))
    await enterClient(page)
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
    assert.isNotEmpty(server.requests.filter(({ route }) => route === "revocation"))
    assert.deepStrictEqual(faults, [])
  })

  for (const javaScriptEnabled of [true, false]) {
    live(
      `ends on the dashboard ${javaScriptEnabled ? "with" : "without"} scripts when the provider redirects immediately`,
      async ({ daemon, page }) => {
        const { exchange, exchanging } = holdTokenRequest()
        server.redirectsAtOnce = true
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
      },
      { context: { ignoreHTTPSErrors: true, javaScriptEnabled } }
    )
  }

  live("can be continued after a failure to reach the provider", async ({ daemon, page, request }) => {
    await page.clock.install()
    const link = await toOnwardLink(page, daemon)
    const left = page.waitForRequest(`https://${host}/**`)
    await page.route(`https://${host}/**`, (route) => route.fulfill({ status: 204 }))
    await link.click()
    await left
    const told = page.waitForResponse(/\?wait=25$/)
    const session = new URL(page.url()).pathname.replace(/\/input$/, "")
    await request(session, { method: "DELETE" })
    await (await told).finished()
    await page.clock.runFor(10_000)
    await page.getByText("The login was cancelled. Nothing was stored.").waitFor()
  })

  live("has a title and a button to cancel on each page", async ({ daemon, page, request }) => {
    const titles: Array<string> = []
    const cancel = async () => {
      titles.push(await page.title())
      const session = new URL(page.url()).pathname.replace(/\/\w+$/, "")
      await page.getByRole("button", { name: "Cancel" }).click()
      await page.getByText("The login was cancelled. Nothing was stored.").waitFor()
      const { json } = await request(session)
      assert.strictEqual(json.status, "cancelled")
    }
    await page.goto(`${daemon.url}/ui/apps/own-app`)
    await page.getByRole("button", { name: "Connect" }).click()
    await page.getByLabel(/client id/i).waitFor()
    await cancel()
    await toOnwardLink(page, daemon)
    await cancel()
    await startDeviceLogin(page, daemon)
    await page.getByRole("img", { name: "QR code" }).waitFor()
    await cancel()
    assert.deepStrictEqual(titles, [
      "Enter the OAuth app for Acme · credsvc",
      "Log in to Acme · credsvc",
      "Enter the code for Acme · credsvc"
    ])
  })

  live("shows a user code as text and as a QR code, and detects that it was entered", async ({ daemon, page }) => {
    const faults: Array<string> = []
    const waits: Array<number> = []
    const again = Promise.withResolvers<void>()
    // Too many requests are waiting already, so the page asks again later, without a reload.
    await page.route(/\?wait=25$/, (route) => {
      if (waits.push(performance.now()) === 1) return route.fulfill({ status: 429 })
      again.resolve()
      return route.continue()
    })
    await startDeviceLogin(page, daemon)
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
    assert.deepStrictEqual(faults, [])
  })

  live("shows the reason when it fails", async ({ daemon, page }) => {
    const faults: Array<string> = []
    await page.goto(`${daemon.url}/ui/apps/shared-app`)
    await page.getByRole("button", { name: "Connect" }).click()
    await page.getByRole("link", { name: `Continue to ${host}` }).click()
    await page.locator("[name=decision]").evaluate((input) => input.setAttribute("value", "deny"))
    await page.getByRole("button", { name: "Allow public-app" }).click()
    await page.getByText("Login to Acme failed.").waitFor()
    assert.strictEqual(new URL(page.url()).pathname, "/ui/apps/shared-app")
    assert.include(await page.innerText("main"), "Ada said no")
    faults.push(...await violationsOn(page))
    const places = [
      "/auth/callback/oauth?state=x&error=access_denied&error_description=%3Cb%3EAda",
      `/auth/sessions/${"A".repeat(43)}/input`,
      "/ui/apps/shared-app/revoke"
    ]
    for (const place of places) {
      await page.goto(daemon.url + place)
      assert.notInclude(await page.innerText("main"), "Ada")
      faults.push(...await violationsOn(page))
    }
    assert.deepStrictEqual(faults, [])
  })

  live("reports that it is waiting, was submitted, and has expired", async ({ daemon, open, page, pass, start }) => {
    const other = await open()
    const faults: Array<string> = []
    const inputOf = async (provider: string) =>
      `${daemon.url}/auth/sessions/${(await start({ provider })).session_id}/input`
    /** Makes the token of a form stale. */
    const spoil = (form: Page) =>
      form.evaluate("for (const input of document.getElementsByName('form_token')) input.value = 'of yesterday'")
    const sent = await inputOf("own-app")
    await other.goto(sent)
    await other.getByLabel(/client id/i).fill(confidentialClient.client_id)
    await spoil(other)
    await other.getByRole("button", { name: "Connect" }).click()
    await other.getByRole("heading", { name: "Form for Acme already submitted" }).waitFor()
    faults.push(...await violationsOn(other))

    const { exchange, exchanging } = holdTokenRequest()
    const waiting = await inputOf("shared-app")
    await page.goto(waiting)
    await page.getByRole("link", { name: `Continue to ${host}` }).click()
    const clicked = page.getByRole("button", { name: "Allow public-app" }).click()
    await exchanging.promise
    await other.goto(waiting)
    await other.getByRole("heading", { name: "Finishing the login to Acme" }).waitFor()
    faults.push(...await violationsOn(other))
    server.intercept = () => "pass"
    exchange.resolve("pass")
    await clicked
    await other.getByRole("heading", { name: "Acme is connected" }).waitFor()

    const late = await inputOf("own-app")
    await pass("15 minutes")
    await page.goto(late)
    await page.getByRole("heading", { name: "Login expired" }).waitFor()
    faults.push(...await violationsOn(page))
    assert.deepStrictEqual(faults, [])
  })

  live("that a client started ends at a URL without the code, even in the history", async ({ daemon, page, start }) => {
    const referers: Array<string> = []
    page.on("request", (request) => referers.push(request.headers()["referer"] ?? ""))
    const session = await start({ provider: "own-app" })
    await page.goto(session.next_action.url)
    await enterClient(page)
    await page.getByRole("link", { name: `Continue to ${host}` }).click()
    await page.getByRole("button", { name: /Allow/ }).click()
    await page.getByRole("heading", { name: "Acme is connected" }).waitFor()
    assert.strictEqual(page.url(), `${daemon.url}/auth/sessions/${session.session_id}/input`)
    const inspector = await page.context().newCDPSession(page)
    const { entries } = await inspector.send("Page.getNavigationHistory")
    assert.isAbove(entries.length, 2)
    for (const url of [...entries.map(({ url }) => url), ...referers]) {
      assert.notMatch(url, /\/auth\/callback\/oauth|[?&]code=/)
    }
  })
})
