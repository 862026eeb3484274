import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { daemonTests } from "../../support/DaemonTests.ts"
import { harnessOf } from "../../support/OAuthHarness.ts"
import { type Answer, postForm, type TestDaemonShape } from "../../support/TestDaemon.ts"

const live = daemonTests()

const tokenIn = (page: Answer): string => /name="form_token" value="([^"]+)"/.exec(page.body)?.[1] ?? ""

const login = (daemon: TestDaemonShape) =>
  Effect.map(
    harnessOf(daemon).start({ provider: "openai" }),
    ({ next_action }) => new URL(next_action.url).pathname
  )

describe("Pages", () => {
  live("have headers that block frames, caches and other sites, with every status", function*(daemon) {
    const input = yield* login(daemon)
    const unknown = `/auth/sessions/${"A".repeat(43)}/input`
    const pages: ReadonlyArray<readonly [Answer, number]> = [
      [yield* daemon.request(input), 200],
      [yield* daemon.request("/ui/"), 200],
      [yield* daemon.request("/ui/connections"), 200],
      [yield* daemon.request("/ui/apps/openai"), 200],
      [yield* daemon.request("/ui/apps"), 200],
      [yield* daemon.request("/ui/apps/nobody"), 404],
      [yield* daemon.request("/ui/apps/openai/revoke"), 303],
      [yield* daemon.request("/ui/apps/openai/default/disconnect"), 404],
      [yield* daemon.request("/ui/apps/openai/default/default"), 404],
      [yield* daemon.request("/ui/audit"), 200],
      [yield* daemon.request("/ui/audit/verify"), 200],
      [yield* daemon.request("/ui/assets/pages-0000000000000000.js"), 404],
      [yield* daemon.request(unknown), 404],
      [yield* daemon.request("/auth/sessions/short/input"), 404],
      [yield* daemon.request(unknown.replace("input", "device")), 404],
      [yield* daemon.request(input.replace("input", "device")), 200],
      [yield* daemon.request("/auth/callback/oauth?state=x&code=y"), 400],
      [yield* postForm(daemon, input, { form_token: "x", api_key: "sk-1" }), 409],
      [yield* daemon.request("/ui/apps/openai/revoke", { method: "POST" }), 403]
    ]
    for (const [{ body, headers, status }, expected] of pages) {
      assert.strictEqual(status, expected, body)
      if (status !== 303) assert.strictEqual(headers["content-type"], "text/html; charset=utf-8")
      const policy = String(headers["content-security-policy"])
      for (
        const rule of ["default-src 'none'", "script-src 'self'", "form-action 'self'", "frame-ancestors 'none'"]
      ) {
        assert.include(policy, rule)
      }
      assert.notInclude(policy, "unsafe")
      assert.deepInclude(headers, {
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "strict-origin",
        "cache-control": "no-store"
      })
      assert.notMatch(
        body,
        /<script(?! src="\/ui\/assets\/pages-[0-9a-f]{16}\.js" integrity="sha256-[\w+/]{43}=" defer><\/script>)|<style| style=| on\w+=/
      )
    }
  })

  live(
    "delete data that another server left in the browser, even in error responses, but not behind a proxy",
    function*(daemon) {
      const browser = (host?: string) => ({ "sec-fetch-site": "same-origin", ...host === undefined ? {} : { host } })
      const clears = (path: string, headers: Record<string, string>) =>
        Effect.map(daemon.request(path, { headers }), (answer) => answer.headers["clear-site-data"])
      for (const path of ["/ui/", "/service-worker.js", "/connections"]) {
        assert.strictEqual(yield* clears(path, browser()), "\"storage\"")
      }
      assert.isUndefined(yield* clears("/ui/", {}))
      assert.isUndefined(yield* clears("/ui/", browser("credsvc.example.com")))
    }
  )

  live(
    "are shown to a browser at one address only, because another user may listen on the other address of localhost",
    function*(daemon) {
      const host = `localhost:${daemon.port}`
      const navigation = {
        host,
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document"
      }
      const moved = yield* daemon.request("/ui/apps?q=a", { headers: navigation })
      assert.deepStrictEqual([moved.status, moved.headers["location"]], [307, `${daemon.url}/ui/apps?q=a`])
      const script = { host, "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" }
      for (const path of ["/ui/", "/connections"]) {
        assert.strictEqual((yield* daemon.request(path, { headers: script })).status, 403)
        assert.strictEqual((yield* daemon.request(path, { headers: { host } })).status, 200)
      }
    }
  )

  live("accept each form once", function*(daemon) {
    const input = yield* login(daemon)
    const token = tokenIn(yield* daemon.request(input))
    const refused = yield* postForm(daemon, input, { form_token: token, api_key: "CANARY" })
    assert.strictEqual(refused.status, 400)
    assert.notInclude(refused.body, "CANARY")
    const replayed = yield* postForm(daemon, input, { form_token: token, api_key: "sk-0123456789" })
    assert.strictEqual(replayed.status, 409)
    const next = tokenIn(refused)
    assert.notStrictEqual(next, token)
    const accepted = yield* postForm(daemon, input, { form_token: next, api_key: "sk-0123456789" })
    assert.strictEqual(accepted.status, 303)
    assert.strictEqual(accepted.headers.location, input)
    assert.include((yield* daemon.request(input)).body, "OpenAI is connected")
    const again = yield* postForm(daemon, input, { form_token: next, api_key: "sk-0123456789" })
    assert.strictEqual(again.status, 409)
  })

  live("accept only forms, and each field only once", function*(daemon) {
    const input = yield* login(daemon)
    const type = { "content-type": "application/x-www-form-urlencoded" }
    const json = yield* daemon.post(input, { api_key: "sk-1" })
    assert.strictEqual(json.status, 415)
    const alias = yield* daemon.post(input.replace("/auth", "//AUTH"), { api_key: "sk-1" })
    assert.strictEqual(alias.status, 415, "also rejected under another spelling of the path")
    const twice = yield* daemon.request(input, { method: "POST", headers: type, body: "api_key=sk-1&api_key=sk-2" })
    assert.strictEqual(twice.status, 400)
    const large = yield* daemon.request(input, { method: "POST", headers: type, body: "a".repeat(65_537) })
    assert.strictEqual(large.status, 413)
    const chunk = "a".repeat(32_768)
    const chunked = yield* daemon.raw(
      `POST ${input} HTTP/1.1\r\nHost: 127.0.0.1:${daemon.port}\r\nContent-Type: ${type["content-type"]}\r\n` +
        `Transfer-Encoding: chunked\r\n\r\n${`8000\r\n${chunk}\r\n`.repeat(4)}0\r\n\r\n`
    )
    assert.match(chunked, /^HTTP\/1\.1 413/)
  })

  live("mark a custom provider, and name the host that receives its key", function*(daemon) {
    const registered = yield* daemon.post("/providers?force=true", {
      name: "openai",
      display_name: "OpenAI <b>",
      auth_type: "api_key",
      flow: "api_key",
      hosts: ["keys.example.net"],
      credentials_url: "https://keys.example.net/new",
      api_key: { header_name: "x-own", header_prefix: "" }
    })
    assert.strictEqual(registered.status, 201, registered.body)
    const page = yield* daemon.request(yield* login(daemon))
    assert.include(page.body, "Custom provider.")
    assert.include(page.body, "replaces the bundled one")
    assert.include(page.body, "<code>keys.example.net</code>")
    assert.include(page.body, "<code>x-own: {api_key}</code>")
    assert.include(page.body, "OpenAI &lt;b&gt;")
    assert.notInclude(page.body, "<b>")
  })

  live("change nothing on HEAD, and never redirect to a target from the request", function*(daemon) {
    const callback = yield* daemon.request("/auth/callback/oauth?state=x&code=y", { method: "HEAD" })
    assert.strictEqual(callback.status, 405)
    for (const name of ["next", "return_to", "redirect", "url", "redirect_uri"]) {
      for (const target of ["/", "/ui/", "/auth/callback/oauth"]) {
        const answer = yield* daemon.request(`${target}?${name}=//evil.test/`)
        assert.notInclude(String(answer.headers.location ?? ""), "evil")
        assert.notInclude(answer.body, "evil.test")
      }
    }
  })
})
