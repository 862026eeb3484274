import { assert, describe, onTestFinished } from "@effect/vitest"
import type * as Net from "node:net"
import type { Request } from "playwright-core"
import { builtins } from "../../src/platform/builtins.ts"
import { launch } from "../support/Browser.ts"
import { programTimeout } from "../support/ProgramTimeout.ts"
import { browserTests, type World } from "../support/SharedBrowser.ts"

const canary = "sk-CANARY-0123456789abcdef"

/** The state that an attack could have changed. */
const stateOf = async ({ request }: World) => {
  const { json: { connections } } = await request("/connections")
  const { json: { entries } } = await request("/audit")
  const { json: { providers } } = await request("/providers")
  return JSON.stringify({ connections, entries, providers })
}

/** A malicious site that serves this body on every path. Returns its port. */
const evilSite = async (body: () => string): Promise<number> => {
  const server = builtins.http.createServer((_request, response) => {
    response.setHeader("content-type", "text/html")
    response.end(`<!doctype html><title>evil</title>${body()}`)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as Net.AddressInfo).port
}

const live = browserTests({ statuses: [] })
/** The pages of other sites may cause any error. */
const browserAttacks = browserTests()

/** With a connection that the page must neither read nor change. */
const attack = (title: string, body: (world: World) => Promise<void>) =>
  browserAttacks(title, async (world) => {
    await world.connect("openai", "default", canary)
    const before = await stateOf(world)
    await body(world)
    assert.strictEqual(await stateOf(world), before)
  })

describe("A malicious web page", () => {
  attack(
    "gets no secret and changes nothing as a script that an earlier server left in the daemon's origin",
    async (world) => {
      const { daemon, page } = world
      const origin = `http://127.0.0.1:${daemon.port}`
      await page.route(`${origin}/page`, (route) => route.fulfill({ contentType: "text/html", body: "x" }))
      await page.goto(`${origin}/page`)
      const responses = await page.evaluate(async () => {
        const json = { "content-type": "application/json" }
        const requests: ReadonlyArray<[path: string, init?: RequestInit]> = [
          ["/connections/openai/default?reveal=true"],
          ["/credentials/export", { method: "POST", headers: json, body: "{\"provider\":\"openai\"}" }],
          ["/connections/openai/default/logout", { method: "POST" }]
        ]
        return Promise.all(requests.map(async ([path, init]) => {
          const response = await fetch(path, init)
          return `${response.status} ${await response.text()}`
        }))
      })
      for (const response of responses) assert.match(response, /^403 /)
      assert.notInclude(responses.join(), "CANARY")
    }
  )

  attack(
    "runs no script that an earlier server left in the browser's cache for the dashboard",
    async ({ daemon, page }) => {
      await page.route(
        "**/ui/assets/*.js",
        (route) => route.fulfill({ contentType: "text/javascript", body: "document.title = 'owned'" })
      )
      await page.goto(`${daemon.url}/ui/`)
      assert.strictEqual(await page.title(), "Overview · credsvc")
    }
  )

  attack("cannot read or change anything through DNS rebinding", async ({ daemon, page }) => {
    const origin = `http://rebind.test:${daemon.port}`
    await page.route(`${origin}/page`, (route) => route.fulfill({ contentType: "text/html", body: "x" }))
    await page.goto(`${origin}/page`)
    const responses = await page.evaluate(async (origin) => {
      const read = async (path: string, init?: RequestInit) => {
        const response = await fetch(origin + path, init)
        return `${response.status} ${await response.text()}`
      }
      const json = { "content-type": "application/json" }
      return Promise.all([
        read("/health"),
        read("/connections"),
        read("/connections/openai/default?reveal=true"),
        read("/credentials/export", { method: "POST", headers: json, body: "{\"provider\":\"openai\"}" }),
        read("/connections/openai/default/logout", { method: "POST" }),
        read("/UI/"),
        read("//connections")
      ])
    }, origin)
    for (const response of responses) {
      assert.match(response, /^403 /)
      assert.notInclude(response, "CANARY")
      assert.notInclude(response, "openai")
    }
  })

  attack("cannot change anything with forms, untyped bodies and sandboxed frames", async ({ daemon, open, page }) => {
    const forms = [
      `<form method=post action="${daemon.url}/connections/openai/default/logout"></form><script>document.forms[0].submit()</script>`,
      `<form method=post action="${daemon.url}/ui/apps/openai/default/disconnect"></form><script>document.forms[0].submit()</script>`,
      `<form method=post action="${daemon.url}/ui/apps/openai/revoke"></form><script>document.forms[0].submit()</script>`,
      `<form method=post action="${daemon.url}/ui/apps/openai/work/default"></form><script>document.forms[0].submit()</script>`,
      `<form method=get action="${daemon.url}/ui/apps/openai/revoke"></form><script>document.forms[0].submit()</script>`,
      `<form method=post enctype=text/plain action="${daemon.url}/auth/sessions"><input name='{"provider":"openai","x":"' value='"}'></form><script>document.forms[0].submit()</script>`,
      `<meta name=referrer content=no-referrer><form method=post action="${daemon.url}/connections/openai/revoke"></form><script>document.forms[0].submit()</script>`,
      `<iframe sandbox="allow-forms allow-scripts" srcdoc='<form method=post action="${daemon.url}/connections/openai/revoke"></form><script>document.forms[0].submit()</script>'></iframe>`
    ]
    const script = `<script>
        const body = new Blob(['{"provider":"openai","connection":"default"}'])
        Promise.allSettled([
          fetch("${daemon.url}/credentials/export", { method: "POST", mode: "no-cors", body }),
          fetch("${daemon.url}/auth/sessions", { method: "POST", mode: "no-cors", body }),
          fetch("${daemon.url}/connections/openai/default/logout", { method: "POST", mode: "no-cors" }),
          fetch("${daemon.url}/providers/openai", { method: "DELETE" }),
          fetch("${daemon.url}/connections?x", { credentials: "include" })
        ]).then((results) => document.title = "done " + results.filter((r) => r.value?.type === "cors").length)
      </script>`
    let content = ""
    const port = await evilSite(() => content)
    for (const next of forms) {
      content = next
      const tab = await open()
      const statuses: Array<number> = []
      tab.on("response", (response) => {
        if (response.url().startsWith(daemon.url)) statuses.push(response.status())
      })
      await tab.goto(`http://evil.test:${port}/`).catch(() => null)
      await tab.waitForLoadState("networkidle")
      // The browser does not always report the response to a frame.
      if (!next.startsWith("<iframe")) assert.isNotEmpty(statuses, next)
      for (const status of statuses) assert.include([403, 405, 415], status, next)
      await tab.close()
    }
    content = script
    await page.goto(`http://evil.test:${port}/`)
    await page.waitForFunction("document.title.startsWith('done')")
    assert.strictEqual(await page.title(), "done 0", "no response is readable")
  })

  attack("cannot read anything or leave a trace with images, scripts, styles and frames", async ({ daemon, page }) => {
    const secret = `${daemon.url}/connections/openai/default?reveal=true`
    const port = await evilSite(() =>
      `<img src="${secret}"><script src="${secret}"></script><link rel=stylesheet href="${secret}">
       <iframe name=secret src="${secret}"></iframe><iframe name=ui src="${daemon.url}/ui/"></iframe>
       <object data="${daemon.url}/ui/"></object><video src="${secret}"></video>`
    )
    await page.goto(`http://evil.test:${port}/`)
    await page.waitForLoadState("networkidle")
    for (const frame of page.frames().slice(1)) {
      const text = await frame.content().catch(() => "")
      assert.notInclude(text, "openai")
      assert.notInclude(text, "Connections")
      assert.notInclude(text, "CANARY")
    }
  })

  attack("cannot post from the public network, even without the browser's own protection", async ({ daemon }) => {
    const port = await evilSite(() =>
      `<form method=post action="${daemon.url}/connections/openai/default/logout"></form>
         <script>document.forms[0].submit()</script>`
    )
    const browser = await launch([`--ip-address-space-overrides=127.0.0.1:${port}=public`])
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    const posted = (request: Request) => request.method() === "POST" && request.url().startsWith(daemon.url)
    const fate = new Promise<number | undefined>((resolve) => {
      page.on("response", (response) => posted(response.request()) && resolve(response.status()))
      page.on("requestfailed", (request) => posted(request) && resolve(undefined))
    })
    page.setDefaultTimeout(programTimeout)
    await page.goto(`http://evil.test:${port}/`, { waitUntil: "commit" }).catch(() => null)
    assert.include([403, undefined], await fate)
  })
})

describe("Login form", () => {
  for (const javaScriptEnabled of [true, false]) {
    live(
      `accepts a key ${javaScriptEnabled ? "with" : "without"} scripts, only once`,
      async ({ page, request, start }) => {
        const session = await start({ provider: "openai" })
        const url = session.next_action.url
        await page.goto(url)
        const text = await page.innerText("main")
        assert.include(text, "Enter the API key for OpenAI")
        assert.include(text, "api.openai.com")
        assert.include(text, "Authorization: Bearer {api_key}")
        assert.notInclude(text, "Custom provider")
        await page.getByLabel("API key").fill("not-a-key")
        await page.getByRole("button", { name: "Connect" }).click()
        await page.waitForSelector("[aria-invalid=true]")
        const refused = await page.content()
        assert.notInclude(refused, "not-a-key", "a rejected value is not shown again")
        const described = await page.getByLabel("API key").getAttribute("aria-describedby")
        const error = await page.innerText(`#${described!.split(" ")[0]}`)
        assert.include(error, "sk-")
        await page.getByLabel("API key").fill(canary)
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { name: "OpenAI is connected" }).waitFor()
        assert.strictEqual(page.url(), url)
        assert.notInclude(await page.content(), canary)
        await page.reload()
        assert.include(await page.innerText("main"), "OpenAI is connected")
        const { json } = await request("/connections/openai/default")
        assert.strictEqual(json.status, "connected")
      },
      { context: { javaScriptEnabled }, statuses: [400] }
    )
  }

  live("leaves no key in the page that the browser keeps for its back button", async ({ page, start }) => {
    const session = await start({ provider: "openai" })
    await page.goto(session.next_action.url)
    await page.getByLabel("API key").fill(canary)
    // Playwright turns the back/forward cache off.
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    assert.strictEqual(await page.getByLabel("API key").inputValue(), "")
  })
})

describe("The page of the redirect URI", () => {
  const definition = {
    name: "acme",
    auth_type: "oauth2",
    flow: "pkce",
    api_url: "https://api.acme.test",
    oauth: {
      authorization_url: "https://acme.test/authorize",
      token_url: "https://acme.test/token",
      client_id: "app",
      client_authentication: "none"
    }
  }

  browserAttacks(
    "sends only errors from the fragment to the daemon",
    async ({ daemon, page, request, start }) => {
      const session = await start({ provider: "acme" })
      const state = new URL(session.next_action.url).searchParams.get("state")
      const address = `${daemon.url}/auth/callback/oauth`
      await page.goto(`${address}#code=x&access_token=canary&state=${state}`)
      await page.waitForSelector("h1")
      assert.include(page.url(), "access_token")
      await page.goto("about:blank")
      await page.goto(`${address}#error=access_denied&access_token=canary&state=${state}`)
      await page.waitForURL(/auth\/sessions/)
      const { json } = await request(`/auth/sessions/${session.session_id}`)
      assert.include(json.error.message, "access was denied")
    },
    { register: [definition] }
  )
})

describe("Dashboard and documentation", () => {
  live("load without requests to other sites", async ({ daemon, page }) => {
    await page.goto(`${daemon.url}/docs`)
    await page.waitForSelector(".swagger-ui .opblock")
    assert.strictEqual(await page.getByRole("button", { name: "Authorize" }).count(), 0)
    const triable = async (method: string) => {
      await page.locator(`.opblock-${method} .opblock-summary-control`).first().click()
      await page.waitForSelector(`.opblock-${method}.is-open .opblock-section-header`)
      return page.locator(`.opblock-${method}.is-open`).getByRole("button", { name: "Try it out" }).count()
    }
    assert.deepStrictEqual([await triable("get"), await triable("post")], [1, 0])
    const ground = () => page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor")
    // The page is notified of the change by an event.
    await page.emulateMedia({ colorScheme: "dark" })
    await page.waitForSelector("html.dark-mode")
    assert.strictEqual(await ground(), "rgb(28, 32, 34)")
    await page.emulateMedia({ colorScheme: "light" })
    await page.waitForSelector("html:not(.dark-mode)")
    assert.notStrictEqual(await ground(), "rgb(28, 32, 34)")
  })
})
