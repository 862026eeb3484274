import { assert, describe } from "@effect/vitest"
import { testsWith } from "../../support/Fixture.ts"
import { contentOf } from "../../support/Services.ts"
import { startTestDaemon } from "../../support/TestDaemon.ts"

const canary = "CANARY-e7c1a9"

const { live } = testsWith(startTestDaemon())

const definition = { name: "acme", auth_type: "api_key", flow: "api_key", api_url: "https://api.acme.dev" }

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

describe("RequestProblems", () => {
  live(
    "lists some of 60,000 unknown fields with the number of the others, and truncates long names",
    function*(daemon) {
      const unknown = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`k${index}`, 1]))
      const long = { ["n".repeat(100_000)]: 1 }
      for (const [target, body] of [["/providers", definition], ["/auth/sessions", { provider: "openai" }]] as const) {
        const many = yield* daemon.post(target, { ...body, ...unknown })
        assert.strictEqual(many.status, 400, target)
        assert.include(many.json.problems.map(({ path }: { path: string }) => path), "/k0")
        assert.deepStrictEqual(many.json.problems.at(-1), { path: "", message: "59950 more problems" })
        assert.isBelow(many.body.length, 50_000)
        const named = yield* daemon.post(target, { ...body, ...long })
        assert.strictEqual(named.status, 400, target)
        assert.isBelow(named.body.length, 50_000)
      }
    }
  )

  live("rejects a JSON string that contains a valid document", function*(daemon) {
    const valid: ReadonlyArray<readonly [target: string, body: object]> = [
      ["/providers", definition],
      ["/providers/discover", { url: "https://mcp.acme.dev" }],
      ["/auth/sessions", { provider: "openai" }],
      ["/profiles", {}],
      ["/credentials/export", { providers: ["openai"] }],
      ["/credentials/resolve", { host: "api.openai.com" }],
      ["/credentials/scan", { variables: [] }]
    ]
    for (const [target, body] of valid) {
      const text = JSON.stringify(JSON.stringify(body))
      const response = yield* daemon.post(target, text)
      assert.strictEqual(response.status, 400, target)
      assert.strictEqual(response.json.error, "InvalidRequestError", target)
    }
    assert.strictEqual((yield* daemon.request("/providers/acme")).status, 404)
  })

  live("quotes no submitted values in error responses and logs", function*(daemon) {
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
    assert.notInclude(contentOf(daemon.paths.serverLogs), canary)
  })

  live("rejects ambiguous, invalid and oversized JSON documents", function*(daemon) {
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
