import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import { PeerOwner } from "../../../src/platform/sockets/PeerOwner.ts"
import { violationsOn } from "../../support/Accessibility.ts"
import { register } from "../../support/RegisteredRun.ts"
import { fillSampleHome } from "../../support/SampleHome.ts"
import { browserTests } from "../../support/SharedBrowser.ts"

const live = browserTests({ prepare: fillSampleHome, statuses: [400, 404, 409] })

/** Simulates switching to another tab, or back. */
const hide = (page: Page, hidden: boolean) =>
  page.evaluate(`Object.defineProperty(document, "hidden", { value: ${hidden}, configurable: true })
    document.dispatchEvent(new Event("visibilitychange"))`)

/** Holds requests to an address. */
const hold = async (page: Page, address: string | RegExp) => {
  const asked = Promise.withResolvers<void>()
  const found = Promise.withResolvers<void>()
  await page.route(address, async (route) => {
    asked.resolve()
    await found.promise
    await route.continue()
  })
  return { asked, found }
}

/** Finds texts that are squeezed to a few letters per line. */
const collapsedTexts = `(() => {
  const found = []
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim()
    const range = document.createRange()
    range.selectNode(texts.currentNode)
    const lines = new Set([...range.getClientRects()].map((line) => Math.round(line.top)))
    if (text.length > 5 && lines.size > text.length / 3) found.push(text)
  }
  return found
})()`

const places = [
  "/ui/",
  "/ui/connections",
  "/ui/apps",
  "/ui/apps?q=zzz",
  "/ui/apps?state=attention",
  "/ui/apps/openai",
  "/ui/apps/acme-tasks",
  "/ui/apps/own-desk",
  "/ui/apps/atlassian",
  "/ui/apps/nobody",
  "/ui/apps/openai/default/disconnect",
  "/ui/apps/acme-tasks/old/disconnect",
  "/ui/apps/openai/work@example.com/default",
  "/ui/apps/openai/revoke",
  "/ui/runs",
  "/ui/requests",
  "/ui/requests?result=failed&run=77d02e55a1",
  "/ui/audit",
  "/ui/audit?provider=nobody",
  "/ui/audit/verify"
]

describe("Dashboard pages in a browser", () => {
  live(
    "have no axe-core violations in light and dark mode, and fit a width of 320 pixels",
    async ({ daemon, page }) => {
      const found: Array<string> = []
      for (const place of places) {
        await page.setViewportSize({ width: 1100, height: 800 })
        await page.goto(daemon.url + place)
        found.push(...(await violationsOn(page)).map((fault) => `${place}: ${fault}`))
        await page.setViewportSize({ width: 320, height: 640 })
        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if (overflow !== 0) found.push(`${place}: ${String(overflow)} pixels too wide`)
        const collapsed = await page.evaluate(collapsedTexts) as ReadonlyArray<string>
        found.push(...collapsed.map((text) => `${place}: collapsed: ${text}`))
      }
      // Rejected, with an error beside its field.
      await page.goto(`${daemon.url}/ui/apps/acme-tasks`)
      await page.getByText("Advanced options").click()
      await page.getByLabel("Connection name").fill("a b")
      await page.getByRole("button", { name: "Connect" }).click()
      await page.waitForSelector("[aria-invalid=true]")
      found.push(...await violationsOn(page))
      // The form for a key: rejected, then cancelled.
      await page.goto(`${daemon.url}/ui/apps/groq`)
      await page.getByRole("button", { name: "Connect" }).click()
      await page.getByLabel("API key").fill("not a key")
      await page.keyboard.press("Enter")
      await page.waitForSelector("[aria-invalid=true]")
      found.push(...await violationsOn(page))
      await page.getByRole("button", { name: "Cancel" }).click()
      await page.getByText("The login was cancelled. Nothing was stored.").waitFor()
      found.push(...await violationsOn(page))
      assert.deepStrictEqual(found, [])
    },
    { context: { reducedMotion: "reduce" } }
  )

  live(
    "show the buttons of a waiting request after a delay, so that no click for another page answers it",
    async ({
      daemon,
      page,
      request
    }) => {
      const id = "first-run-0123456789"
      const body = { id: "0123abcd", method: "DELETE", host: "api.openai.com", path: "/v1/a", rules: [], policies: [] }
      await Effect.runPromise(
        Effect.scoped(Effect.gen(function*() {
          yield* register(daemon, id, { ask: true })
          const asking = request("/runs/questions", { method: "POST", headers: { "credsvc-run": id }, body })
          yield* Effect.promise(async () => {
            while ((await request("/runs/questions")).json.questions.length === 0) await page.waitForTimeout(10)
            await page.goto(`${daemon.url}/ui/approvals`)
            // Begins the animation again, because a slow page may have shown the buttons by now.
            const visibilityAfter = (milliseconds: number) =>
              page.evaluate(`(() => {
                const element = document.querySelector(".actions.late")
                element.style.animation = "none"
                void element.offsetHeight
                element.style.animation = ""
                const [late] = element.getAnimations()
                late.pause()
                late.currentTime = ${milliseconds}
                return getComputedStyle(element.querySelector("button")).visibility
              })()`)
            assert.strictEqual(await visibilityAfter(700), "hidden")
            assert.strictEqual(await visibilityAfter(900), "visible")
            await page.evaluate(`(() => {
              for (const late of document.querySelector(".actions.late").getAnimations()) late.finish()
              document.addEventListener("pointerdown", () => {
                window.atFirstClick = getComputedStyle(document.querySelector(".actions.late button")).visibility
              })
            })()`)
            await page.mouse.click(100, 100)
            assert.strictEqual(await page.evaluate("atFirstClick"), "hidden")
            // The browser descends from the process of the run, so that it cannot answer.
            await request("/runs/questions/0123abcd/answer", { method: "POST", body: { answer: "no" } })
            await asking
          })
        })).pipe(Effect.provide(PeerOwner.layer))
      )
    }
  )

  live("search while the user types, and show the same list for the same URL", async ({ daemon, page }) => {
    await page.goto(`${daemon.url}/ui/apps`)
    assert.isFalse(await page.getByRole("button", { name: "Apply" }).isVisible())
    await page.keyboard.press("/")
    await page.keyboard.type("models deeps")
    // A slow typist gets a list after each pause.
    await page.waitForURL(/\/ui\/apps\?q=models\+deeps$/)
    await page.locator("#results[data-says='1 provider.']").waitFor()
    assert.strictEqual(await page.textContent("#announcer"), "1 provider.")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("ArrowDown")
    assert.strictEqual(await page.evaluate("document.activeElement.textContent"), "DeepSeek")
    await page.reload()
    assert.strictEqual(await page.getByLabel("Search").inputValue(), "models deeps")
    assert.strictEqual(await page.locator("#results li").count(), 1)
    await page.keyboard.press("/")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "DeepSeek", exact: true }).waitFor()
  })

  live("keep the search results when an older update arrives", async ({ connect, daemon, page }) => {
    await page.goto(`${daemon.url}/ui/apps`)
    await page.getByText("This page updates automatically.").waitFor()
    const { asked, found } = await hold(page, `${daemon.url}/ui/apps`)
    await connect("openai", "third")
    await asked.promise
    await page.getByLabel("Search").fill("deepseek")
    await page.waitForURL(/q=deepseek$/)
    const again = page.waitForResponse(/q=deepseek$/)
    found.resolve()
    await (await again).finished()
    assert.strictEqual(await page.locator("#results").getAttribute("data-says"), "1 provider.")
  })

  live("show the results of the last search, even if an earlier response arrives later", async ({ daemon, page }) => {
    await page.goto(`${daemon.url}/ui/apps`)
    const { asked, found } = await hold(page, /q=deepseek$/)
    await page.getByLabel("Search").fill("deepseek")
    await asked.promise
    await page.getByLabel("Search").fill("no such thing")
    await page.waitForURL(/q=no\+such\+thing$/)
    const late = page.waitForResponse(/q=deepseek$/)
    found.resolve()
    await (await late).finished()
    await page.evaluate("new Promise((resolve) => setTimeout(resolve))")
    assert.match(page.url(), /q=no\+such\+thing$/)
    assert.strictEqual(await page.locator("#results li").count(), 0)
  })

  live(
    "do not intercept keys typed into a field, and return from the first result to the search",
    async ({ daemon, page }) => {
      const active = () => page.evaluate("document.activeElement.localName")
      await page.goto(`${daemon.url}/ui/apps`)
      await page.keyboard.press("Control+/")
      assert.strictEqual(await active(), "body")
      await page.keyboard.press("/")
      await page.keyboard.type("a/b")
      assert.strictEqual(await page.getByLabel("Search").inputValue(), "a/b")
      await page.getByLabel("Search").fill("deepseek")
      await page.locator("#results[data-says='1 provider.']").waitFor()
      await page.keyboard.press("ArrowDown")
      assert.strictEqual(await active(), "a")
      await page.keyboard.press("ArrowUp")
      assert.strictEqual(await active(), "input")
    }
  )

  live("report a lost connection to the daemon, and offer to reload if it refuses", async ({ daemon, page }) => {
    await page.addInitScript(`{
      const load = fetch
      let asked = 0
      globalThis.fetch = async (url, options) => {
        if (!url.includes("/ui/events")) return load(url, options)
        if (++asked === 1) throw new TypeError("no connection")
        return new Response("", { status: 403 })
      }
    }`)
    await page.goto(`${daemon.url}/ui/`)
    await page.getByText("Connection to credsvc lost. Retrying…").waitFor()
    await page.getByRole("link", { name: "Reload" }).waitFor()
  })

  live("receive updates only while visible, and resume from the last one", async ({ connect, daemon, page }) => {
    const since = (url: string) => new URL(url).searchParams.get("since")
    const first = page.waitForRequest(/\/ui\/events/)
    await page.goto(`${daemon.url}/ui/apps/openai`)
    await page.getByText("This page updates automatically.").waitFor()
    await connect("openai", "third")
    await page.locator("#connections li", { hasText: "third" }).waitFor()
    const left = page.waitForEvent("requestfailed", (request) => request.url().includes("/ui/events"))
    await hide(page, true)
    await left
    const again = page.waitForRequest(/\/ui\/events/)
    await hide(page, false)
    assert.notStrictEqual(since((await again).url()), since((await first).url()))
  })

  live("refresh each minute while visible, and do not replace unchanged content", async ({ daemon, page }) => {
    await page.clock.install()
    await page.goto(`${daemon.url}/ui/apps`)
    await page.getByText("This page updates automatically.").waitFor()
    let looks = 0
    page.on("request", (request) => {
      if (request.resourceType() === "fetch" && request.url() === page.url()) looks++
    })
    const marked = "document.getElementById('results').marked"
    await page.evaluate(`${marked} = true`)
    const answered = page.waitForResponse(page.url())
    await page.clock.runFor(60_000)
    await (await answered).finished()
    assert.strictEqual(looks, 1)
    await hide(page, true)
    await page.clock.runFor(180_000)
    assert.strictEqual(await page.evaluate(marked), true)
    assert.strictEqual(looks, 1)
  })

  live("search without scripts", async ({ daemon, page }) => {
    await page.goto(`${daemon.url}/ui/apps`)
    await page.getByLabel("Search").fill("deepseek")
    await page.getByLabel("Login").selectOption("API key")
    await page.getByRole("button", { name: "Apply" }).click()
    await page.waitForURL(/q=deepseek/)
    assert.include(await page.innerText("#results"), "DeepSeek")
    assert.strictEqual(await page.getByLabel("Login").inputValue(), "api_key")
    await page.goto(`${daemon.url}/ui/`)
    await page.getByRole("link", { name: "Reload" }).click()
    await page.getByRole("heading", { name: "Overview" }).waitFor()
  }, { context: { javaScriptEnabled: false } })

  live("show a change automatically, announce it, and keep the focus", async ({ connect, daemon, page }) => {
    await page.goto(`${daemon.url}/ui/apps/openai`)
    await page.getByText("This page updates automatically.").waitFor()
    await page.getByRole("link", { name: "Disconnect OpenAI, default" }).focus()
    await connect("openai", "third")
    await page.locator("#connections li", { hasText: "third" }).waitFor()
    await page.locator("#announcer", { hasText: /^3 connections, none need attention\.$/ }).waitFor({
      state: "attached"
    })
    assert.strictEqual(
      await page.evaluate("document.activeElement.textContent.trim()"),
      "Disconnect OpenAI, default"
    )
  })

  live("support disconnecting with the keyboard alone, and confirm it", async ({ daemon, page }) => {
    await page.goto(`${daemon.url}/ui/apps/anthropic`)
    await page.keyboard.press("Tab")
    assert.strictEqual(await page.evaluate("document.activeElement.textContent"), "Skip to content")
    await page.keyboard.press("Enter")
    for (let count = 0; count < 30; count++) {
      await page.keyboard.press("Tab")
      const text = await page.evaluate("document.activeElement.textContent.trim()")
      if (String(text).startsWith("Disconnect")) break
    }
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Disconnect Anthropic, default?" }).waitFor()
    await page.getByRole("button", { name: "Disconnect" }).focus()
    const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert.strictEqual(outline, "solid")
    await page.keyboard.press("Enter")
    await page.getByText("default disconnected.").waitFor()
    assert.include(String(await page.evaluate("document.activeElement.textContent")), "default disconnected.")
  }, { context: { reducedMotion: "reduce" } })

  live("run no scripts from provider names, tenants or URLs", async ({ daemon, page, request }) => {
    const attack = (place: string) =>
      `<img src=x onerror="globalThis.attacked='${place}'">"'><script>attacked=1</script>`
    const registered = await request("/providers", {
      method: "POST",
      body: {
        name: "hostile",
        display_name: attack("name").slice(0, 100),
        description: attack("description"),
        categories: [attack("category").slice(0, 64)],
        notes: [attack("note")],
        docs_url: "https://hostile.example/\"onmouseover=attacked=1",
        auth_type: "oauth2",
        flow: "pkce",
        flows: ["pkce", "device_code"],
        hosts: ["api.hostile.example"],
        oauth: {
          authorization_url: "https://hostile.example/a",
          token_url: "https://hostile.example/t",
          device_authorization_url: "https://hostile.example/d",
          scopes: ["\"><svg/onload=attacked=1>"],
          headers: { "x-header": attack("header") }
        }
      }
    })
    assert.strictEqual(registered.status, 201, registered.body)
    const query = encodeURIComponent(attack("query"))
    const addresses = [
      "/ui/",
      `/ui/apps?q=${query}&category=${query}&state=${query}&page=${query}`,
      "/ui/apps?q=hostile",
      "/ui/apps/hostile",
      `/ui/apps/hostile?notice=${query}`,
      "/ui/apps/hostile/revoke",
      `/ui/audit?provider=${query}&event=${query}`,
      "/ui/audit"
    ]
    for (const address of addresses) {
      await page.goto(daemon.url + address)
      assert.isUndefined(await page.evaluate("globalThis.attacked"), address)
      const brought = await page.locator("main img, main svg[onload], main script").count()
      assert.strictEqual(brought, 0, address)
    }
    // Text that the script inserts into the page is escaped as well.
    await page.goto(`${daemon.url}/ui/apps`)
    await page.getByLabel("Search").fill("hostile.example")
    await page.locator("#results[data-says='1 provider.']").waitFor()
    assert.isUndefined(await page.evaluate("globalThis.attacked"))
  })

  live("copy the redirect URI", async ({ daemon, page }) => {
    await page.clock.install()
    await page.goto(`${daemon.url}/ui/apps/acme-tasks`)
    const label = await page.locator("[data-copy=redirect-uri]").textContent()
    await page.locator("[data-copy=redirect-uri]").click()
    await page.getByRole("button", { name: "Copied" }).waitFor()
    assert.strictEqual(
      await page.evaluate("navigator.clipboard.readText()"),
      `${daemon.url}/auth/callback/oauth`
    )
    await page.clock.runFor(2000)
    assert.strictEqual(await page.locator("[data-copy=redirect-uri]").textContent(), label)
    // If the browser denies clipboard access, the text can be copied manually.
    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error())")
    await page.locator("[data-copy=redirect-uri]").click()
    await page.waitForFunction("String(getSelection()) !== ''")
    assert.strictEqual(await page.evaluate("String(getSelection())"), `${daemon.url}/auth/callback/oauth`)
  }, { context: { permissions: ["clipboard-read", "clipboard-write"] } })
})
