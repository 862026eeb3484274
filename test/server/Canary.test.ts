import { assert, describe } from "@effect/vitest"
import * as fs from "node:fs"
import { testsWith } from "../support/Fixture.ts"
import { startTestDaemon, type TestDaemonShape } from "../support/TestDaemon.ts"

const canary = "CANARY-e7c1a9"
const secret = `sk-${canary}-0123456789`

const logsOf = (daemon: TestDaemonShape): string =>
  fs.readdirSync(daemon.paths.serverLogs).map((name) => fs.readFileSync(`${daemon.paths.serverLogs}/${name}`, "utf8"))
    .join("\n")

const withDaemon = testsWith(startTestDaemon())

/** Invalid values of every JSON type, with the canary in each that can contain it. */
const wrong = (value: string): ReadonlyArray<unknown> => [value, [value], { a: value }, { a: [value] }, 17, true, null]

const fields: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/auth/sessions": ["provider", "connection", "flow", "scopes", "base_url", "force"],
  "/credentials/export": ["provider", "connection", "format"],
  "/credentials/resolve": ["host", "port", "scheme", "method", "path", "provider", "connection"],
  "/credentials/scan": ["values", "connection", "import"],
  "/profiles": ["handle"],
  "/providers": ["name", "display_name", "auth_type", "flow", "flows", "api_url", "hosts", "api_key", "oauth", "export"]
}

describe("The daemon", () => {
  withDaemon.live("does not quote submitted values in error responses", function*(daemon) {
    const text = `é <${canary}> \u0001`
    for (const [target, names] of Object.entries(fields)) {
      for (const name of names) {
        for (const value of wrong(text)) {
          const body = {
            ...(target === "/providers" ? { name: "x", auth_type: "api_key", flow: "api_key" } : {}),
            [name]: value
          }
          const response = yield* daemon.post(target, body)
          assert.notInclude(response.body, canary, `${target} ${name} ${JSON.stringify(value)}`)
          assert.notStrictEqual(response.status, 500, `${target} ${name} ${response.body}`)
          if (response.status >= 400) {
            assert.strictEqual(response.headers["content-type"], "application/problem+json")
            assert.isString(response.json.detail)
            assert.notMatch(response.body, /\bat \/|node_modules|SqlError|SchemaError|\.ts:/)
          }
        }
      }
    }
    const malformed = [`{"host": ${canary}`, `${canary}`, `["${canary}`, `{"a":"${canary}"}{`, `"${canary}"`]
    for (const target of Object.keys(fields)) {
      for (const body of malformed) {
        const response = yield* daemon.post(target, body)
        assert.strictEqual(response.status, 400)
        assert.notInclude(response.body, canary, `${target} ${body}`)
      }
    }
    const targets = [
      `/connections?provider=<${canary}>`,
      `/connections/<${canary}>/x`,
      `/connections/openai/..%2f${canary}`,
      `/audit?limit=${canary}`,
      `/audit?event=${canary}`,
      `/auth/sessions/${canary}`,
      `/profiles/<${canary}>/use`,
      `/${canary}`,
      `/health?nonce=${canary}`
    ]
    for (const target of targets) {
      for (const method of ["GET", "POST", "DELETE"]) {
        const response = yield* daemon.request(target, { method })
        assert.isAtLeast(response.status, 400)
        assert.notInclude(response.body, canary, `${method} ${target}`)
      }
    }
    const profile = yield* daemon.request("/connections", { headers: { "credsvc-profile": `../${canary}` } })
    assert.strictEqual(profile.status, 400)
    assert.notInclude(profile.body, canary)
    assert.notInclude(logsOf(daemon), canary)
  })

  withDaemon.live("leaves neither secrets nor session IDs in the logs, after failures or successes", function*(daemon) {
    const started = yield* daemon.post("/auth/sessions", { provider: "openai" })
    const id = started.json.session_id as string
    yield* daemon.post(`/auth/sessions/${id}/resume`, { data: { api_key: canary } })
    yield* daemon.post(`/auth/sessions/${id}/resume`, { data: { [canary]: secret } })
    const done = yield* daemon.post(`/auth/sessions/${id}/resume`, { data: { api_key: secret } })
    assert.strictEqual(done.json.status, "completed", done.body)
    yield* daemon.request(`/auth/callback/oauth?state=${canary}&code=${canary}&error=${canary}`)
    const cases = [
      "/connections",
      "/connections/openai/default",
      "/audit",
      "/ready",
      "/whoami",
      "/proxy/routes",
      "/ui/"
    ]
    for (const target of cases) {
      const response = yield* daemon.request(target)
      assert.strictEqual(response.status, 200, target)
      assert.notInclude(response.body, canary, target)
    }
    const revealed = yield* daemon.request("/connections/openai/default?reveal=true")
    assert.strictEqual(revealed.json.api_key, secret)
    const resolved = yield* daemon.post("/credentials/resolve", { host: "api.openai.com" })
    assert.deepStrictEqual(Object.values(resolved.json.headers), [`Bearer ${secret}`])
    const exported = yield* daemon.post("/credentials/export", { provider: "openai" })
    assert.strictEqual(exported.json.output, `OPENAI_API_KEY=${secret}\n`)
    const logs = logsOf(daemon)
    assert.notInclude(logs, canary)
    assert.notInclude(logs, id)
    assert.include(logs, "\"event\":\"export\"")
    for (const name of fs.readdirSync(daemon.home, { recursive: true, encoding: "utf8" })) {
      const file = `${daemon.home}/${name}`
      if (fs.statSync(file).isFile()) assert.notInclude(fs.readFileSync(file, "latin1"), canary, name)
    }
  })

  withDaemon.live("does not reveal secrets to a link or a bookmark, and records no access", function*(daemon) {
    const navigation = {
      "sec-fetch-site": "none",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document"
    }
    const before = (yield* daemon.request("/audit")).body
    const reveal = yield* daemon.request("/connections/openai/default?reveal=true", { headers: navigation })
    assert.strictEqual(reveal.status, 403)
    const semicolon = yield* daemon.request("/connections/openai/default;reveal=true", { headers: navigation })
    assert.strictEqual(semicolon.status, 400)
    const alias = yield* daemon.request("//CONNECTIONS/openai/default/?x=1&reveal=true", { headers: navigation })
    assert.strictEqual(alias.status, 403)
    const exported = yield* daemon.post("/credentials/export", { provider: "openai" }, navigation)
    assert.strictEqual(exported.status, 403)
    assert.strictEqual((yield* daemon.request("/audit")).body, before)
  })

  withDaemon.live("rejects ambiguous, invalid and oversized JSON documents", function*(daemon) {
    const deep = `{"host":${"[".repeat(40)}${"]".repeat(40)}}`
    const bodies = [
      "{\"host\":\"a.test\",\"host\":\"b.test\"}",
      "{\"__proto__\":{\"host\":\"a.test\"}}",
      "{\"host\":\"a.test\",\"unknown\":1}",
      deep,
      "",
      "null",
      "[]"
    ]
    for (const body of bodies) {
      const response = yield* daemon.post("/credentials/resolve", body)
      assert.strictEqual(response.status, 400, body)
      assert.strictEqual(response.json.error, "InvalidRequestError")
      assert.isNotEmpty(response.json.problems)
    }
    const chunk = `8000\r\n${"a".repeat(32_768)}\r\n`
    const endless = yield* daemon.raw(
      `POST /credentials/resolve HTTP/1.1\r\nHost: 127.0.0.1:${daemon.port}\r\nContent-Type: application/json\r\n` +
        `Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(40)}`
    )
    assert.match(endless, /^HTTP\/1\.1 413/)
  })
})
