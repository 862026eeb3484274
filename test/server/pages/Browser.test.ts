import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import type * as Net from "node:net"
import type { Page, Request } from "playwright-core"
import { builtins } from "../../../src/platform/builtins.ts"
import { hasChromium, launchBrowser } from "../../support/Browser.ts"
import { programTimeout } from "../../support/ProgramTimeout.ts"
import { type OpenPage, sharedBrowser } from "../../support/SharedBrowser.ts"
import { startTestDaemon, type TestDaemonShape } from "../../support/TestDaemon.ts"

const canary = "sk-CANARY-0123456789abcdef"

const connect = (daemon: TestDaemonShape, connection = "default") =>
  Effect.gen(function*() {
    const started = yield* daemon.request("/auth/sessions", {
      method: "POST",
      body: { provider: "openai", connection }
    })
    const done = yield* daemon.request(`/auth/sessions/${started.json.session_id}/resume`, {
      method: "POST",
      body: { data: { api_key: canary } }
    })
    assert.strictEqual(done.json.status, "completed", done.body)
  })

/** The state that an attack could have changed. */
const stateOf = (daemon: TestDaemonShape) =>
  Effect.gen(function*() {
    const { json: { connections } } = yield* daemon.request("/connections")
    const { json: { entries } } = yield* daemon.request("/audit")
    const { json: { providers } } = yield* daemon.request("/providers")
    return JSON.stringify({ connections, entries, providers })
  })

/** A malicious site that serves this body on every path. */
const evilSite = (body: () => string): Effect.Effect<number, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<Http.Server>((resume) => {
        const server = builtins.http.createServer((_request, response) => {
          response.setHeader("content-type", "text/html")
          response.end(`<!doctype html><title>evil</title>${body()}`)
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.closeAllConnections()
          server.close(() => resume(Effect.void))
        })
    ),
    (server) => (server.address() as Net.AddressInfo).port
  )

const promise = <A>(run: () => Promise<A>): Effect.Effect<A, Error> =>
  Effect.tryPromise({ try: run, catch: (cause) => cause as Error })

interface World {
  readonly daemon: TestDaemonShape
  readonly open: OpenPage
  readonly page: Page
}

const open = sharedBrowser()

const live = (
  title: string,
  body: (world: World) => Effect.Effect<void, unknown, Scope.Scope>,
  options: { readonly javaScriptEnabled?: boolean } = {}
) =>
  it.live(title, () =>
    Effect.gen(function*() {
      const daemon = yield* startTestDaemon()
      const page = yield* open(options)
      yield* body({ daemon, open, page })
    }).pipe(Effect.scoped))

describe.runIf(hasChromium)("A malicious web page", () => {
  live(
    "cannot read or change anything through DNS rebinding",
    ({ daemon, page }) =>
      Effect.gen(function*() {
        yield* connect(daemon)
        const before = yield* stateOf(daemon)
        const origin = `http://rebind.test:${daemon.port}`
        yield* promise(() =>
          page.route(`${origin}/page`, (route) => route.fulfill({ contentType: "text/html", body: "x" }))
        )
        yield* promise(() => page.goto(`${origin}/page`))
        const answers = yield* promise(() =>
          page.evaluate(async (origin) => {
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
        )
        for (const answer of answers) {
          assert.match(answer, /^403 /)
          assert.notInclude(answer, "CANARY")
          assert.notInclude(answer, "openai")
        }
        assert.strictEqual(yield* stateOf(daemon), before)
      })
  )

  live(
    "cannot change anything with forms, untyped bodies and sandboxed frames",
    ({ daemon, open, page }) =>
      Effect.gen(function*() {
        yield* connect(daemon)
        const before = yield* stateOf(daemon)
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
        let attack = ""
        const port = yield* evilSite(() => attack)
        for (const next of forms) {
          attack = next
          const tab = yield* open()
          const answered: Array<number> = []
          tab.on("response", (response) => {
            if (response.url().startsWith(daemon.url)) answered.push(response.status())
          })
          yield* promise(() => tab.goto(`http://evil.test:${port}/`).catch(() => null))
          yield* promise(() => tab.waitForLoadState("networkidle"))
          // The browser does not always report the response to a frame.
          if (!next.startsWith("<iframe")) assert.isNotEmpty(answered, next)
          for (const status of answered) assert.include([403, 405, 415], status, next)
          yield* promise(() => tab.close())
        }
        attack = script
        yield* promise(() => page.goto(`http://evil.test:${port}/`))
        yield* promise(() => page.waitForFunction("document.title.startsWith('done')"))
        assert.strictEqual(yield* promise(() => page.title()), "done 0", "no response is readable")
        assert.strictEqual(yield* stateOf(daemon), before)
      })
  )

  live(
    "cannot read anything or leave a trace with images, scripts, styles and frames",
    ({ daemon, page }) =>
      Effect.gen(function*() {
        yield* connect(daemon)
        const before = yield* stateOf(daemon)
        const secret = `${daemon.url}/connections/openai/default?reveal=true`
        const port = yield* evilSite(() =>
          `<img src="${secret}"><script src="${secret}"></script><link rel=stylesheet href="${secret}">
         <iframe name=secret src="${secret}"></iframe><iframe name=ui src="${daemon.url}/ui/"></iframe>
         <object data="${daemon.url}/ui/"></object><video src="${secret}"></video>`
        )
        yield* promise(() => page.goto(`http://evil.test:${port}/`))
        yield* promise(() => page.waitForLoadState("networkidle"))
        for (const frame of page.frames().slice(1)) {
          const text = yield* promise(() => frame.content().catch(() => ""))
          assert.notInclude(text, "openai")
          assert.notInclude(text, "Connections")
          assert.notInclude(text, "CANARY")
        }
        assert.strictEqual(yield* stateOf(daemon), before)
      })
  )

  it.live("cannot post from the public network, even without the browser's own protection", () =>
    Effect.gen(function*() {
      const daemon = yield* startTestDaemon()
      yield* connect(daemon)
      const before = yield* stateOf(daemon)
      const port = yield* evilSite(() =>
        `<form method=post action="${daemon.url}/connections/openai/default/logout"></form>
         <script>document.forms[0].submit()</script>`
      )
      const browser = yield* launchBrowser([`--ip-address-space-overrides=127.0.0.1:${port}=public`])
      const page = yield* promise(() => browser.newPage())
      const posted = (request: Request) => request.method() === "POST" && request.url().startsWith(daemon.url)
      const fate = new Promise<number | undefined>((resolve) => {
        page.on("response", (response) => posted(response.request()) && resolve(response.status()))
        page.on("requestfailed", (request) => posted(request) && resolve(undefined))
      })
      page.setDefaultTimeout(programTimeout)
      yield* promise(() => page.goto(`http://evil.test:${port}/`, { waitUntil: "commit" }).catch(() => null))
      assert.include([403, undefined], yield* promise(() => fate))
      assert.strictEqual(yield* stateOf(daemon), before)
    }).pipe(Effect.scoped))
})

describe.runIf(hasChromium)("Login form", () => {
  for (const javaScriptEnabled of [true, false]) {
    live(
      `accepts a key ${javaScriptEnabled ? "with" : "without"} scripts, only once`,
      ({ daemon, page }) =>
        Effect.gen(function*() {
          const started = yield* daemon.request("/auth/sessions", { method: "POST", body: { provider: "openai" } })
          const url = started.json.next_action.url as string
          const violations: Array<string> = []
          page.on("console", (message) => {
            if (message.type() === "error" && !message.text().includes("400")) violations.push(message.text())
          })
          yield* promise(() => page.goto(url))
          const text = yield* promise(() => page.innerText("main"))
          assert.include(text, "Enter the API key for OpenAI")
          assert.include(text, "api.openai.com")
          assert.include(text, "Authorization: Bearer {api_key}")
          assert.notInclude(text, "Custom provider")
          yield* promise(() => page.getByLabel("API key").fill("not-a-key"))
          yield* promise(() => page.getByRole("button", { name: "Connect" }).click())
          yield* promise(() => page.waitForSelector("[aria-invalid=true]"))
          const refused = yield* promise(() => page.content())
          assert.notInclude(refused, "not-a-key", "a rejected value is not shown again")
          const described = yield* promise(() => page.getByLabel("API key").getAttribute("aria-describedby"))
          const error = yield* promise(() => page.innerText(`#${described!.split(" ")[0]}`))
          assert.include(error, "sk-")
          yield* promise(() => page.getByLabel("API key").fill(canary))
          yield* promise(() => page.keyboard.press("Enter"))
          yield* promise(() => page.getByRole("heading", { name: "OpenAI is connected" }).waitFor())
          assert.strictEqual(page.url(), url)
          assert.notInclude(yield* promise(() => page.content()), canary)
          yield* promise(() => page.reload())
          assert.include(yield* promise(() => page.innerText("main")), "OpenAI is connected")
          assert.deepStrictEqual(violations, [])
          const { json } = yield* daemon.request("/connections/openai/default")
          assert.strictEqual(json.status, "connected")
        }),
      { javaScriptEnabled }
    )
  }

  live(
    "can be used with the keyboard alone, and labels its fields",
    ({ daemon, page }) =>
      Effect.gen(function*() {
        const started = yield* daemon.request("/auth/sessions", { method: "POST", body: { provider: "openai" } })
        yield* promise(() => page.setViewportSize({ width: 320, height: 568 }))
        yield* promise(() => page.goto(started.json.next_action.url as string))
        const report = yield* promise(() =>
          page.evaluate(`({
          language: document.documentElement.lang,
          headings: document.querySelectorAll("h1").length,
          unnamed: [...document.querySelectorAll("input:not([type=hidden]), button, a")].filter((element) =>
            element.textContent.trim() === "" && element.labels?.length !== 1 && element.ariaLabel === null
          ).length,
          overflows: document.documentElement.scrollWidth > document.documentElement.clientWidth,
          focused: document.activeElement?.name
        })`)
        )
        assert.deepStrictEqual(report, {
          language: "en",
          headings: 1,
          unnamed: 0,
          overflows: false,
          focused: "api_key"
        })
        yield* promise(() => page.keyboard.type(canary))
        yield* promise(() => page.keyboard.press("Tab"))
        yield* promise(() => page.keyboard.press("Tab"))
        assert.strictEqual(yield* promise(() => page.evaluate("document.activeElement.textContent")), "Connect")
        const outline = yield* promise(() => page.evaluate("getComputedStyle(document.activeElement).outlineStyle"))
        assert.strictEqual(outline, "solid")
        yield* promise(() => page.keyboard.press("Enter"))
        yield* promise(() => page.getByRole("heading", { name: "OpenAI is connected" }).waitFor())
      })
  )

  live("cancels the login", ({ daemon, page }) =>
    Effect.gen(function*() {
      const started = yield* daemon.request("/auth/sessions", { method: "POST", body: { provider: "openai" } })
      yield* promise(() => page.goto(started.json.next_action.url as string))
      yield* promise(() => page.getByRole("button", { name: "Cancel" }).click())
      yield* promise(() => page.getByRole("heading", { name: "Login to OpenAI cancelled" }).waitFor())
      const { json } = yield* daemon.request(`/auth/sessions/${started.json.session_id}`)
      assert.strictEqual(json.status, "cancelled")
    }))
})

describe.runIf(hasChromium)("Dashboard and documentation", () => {
  live(
    "connect and log out with clicks under the content security policy",
    ({ daemon, page }) =>
      Effect.gen(function*() {
        const violations: Array<string> = []
        page.on("console", (message) => {
          if (message.type() === "error") violations.push(message.text())
        })
        yield* promise(() => page.goto(`${daemon.url}/ui/`))
        yield* promise(() => page.getByLabel("Find a provider").fill("claude"))
        yield* promise(() => page.keyboard.press("Enter"))
        yield* promise(() => page.getByRole("link", { name: "Anthropic" }).click())
        yield* promise(() => page.getByRole("button", { name: "Connect" }).click())
        yield* promise(() => page.getByRole("heading", { name: "Enter the API key for Anthropic" }).waitFor())
        yield* promise(() => page.locator("input[type=password]").fill("sk-ant-CANARY-0123456789"))
        yield* promise(() => page.getByRole("button", { name: "Connect" }).click())
        yield* promise(() => page.getByText("Anthropic is connected as default.").waitFor())
        yield* promise(() => page.goto(`${daemon.url}/ui/`))
        assert.match(yield* promise(() => page.innerText(".totals")), /^1\s*connection/)
        yield* promise(() => page.getByRole("link", { name: "Anthropic" }).first().click())
        yield* promise(() => page.getByRole("link", { name: "Disconnect Anthropic, default" }).click())
        yield* promise(() => page.getByRole("heading", { name: "Disconnect Anthropic, default?" }).waitFor())
        yield* promise(() => page.getByRole("button", { name: "Disconnect" }).click())
        yield* promise(() => page.waitForSelector("text=default disconnected"))
        assert.deepStrictEqual(violations, [])
        const { json } = yield* daemon.request("/connections")
        assert.deepStrictEqual(json.connections, [])
      })
  )

  live("load without requests to other sites", ({ daemon, page }) =>
    Effect.gen(function*() {
      const requested: Array<string> = []
      const violations: Array<string> = []
      page.on("request", (request) => requested.push(request.url()))
      page.on("console", (message) => {
        if (message.type() === "error") violations.push(message.text())
      })
      yield* promise(() => page.goto(`${daemon.url}/docs`))
      yield* promise(() => page.waitForSelector(".swagger-ui .opblock"))
      assert.strictEqual(yield* promise(() => page.getByRole("button", { name: "Authorize" }).count()), 0)
      const ground = promise(() => page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor"))
      // The page is notified of the change by an event.
      yield* promise(() => page.emulateMedia({ colorScheme: "dark" }))
      yield* promise(() => page.waitForSelector("html.dark-mode"))
      assert.strictEqual(yield* ground, "rgb(28, 32, 34)")
      yield* promise(() => page.emulateMedia({ colorScheme: "light" }))
      yield* promise(() => page.waitForSelector("html:not(.dark-mode)"))
      assert.notStrictEqual(yield* ground, "rgb(28, 32, 34)")
      for (const url of requested) assert.match(url, new RegExp(`^(?:data:|blob:)|^${daemon.url}/`))
      assert.deepStrictEqual(violations, [])
    }))
})
