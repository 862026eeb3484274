import { assert, describe } from "@effect/vitest"
import { live } from "../../support/Fixture.ts"
import { startTestDaemon } from "../../support/TestDaemon.ts"

const definition = { name: "acme", auth_type: "api_key", flow: "api_key", api_url: "https://api.acme.dev" }

describe("RequestProblems", () => {
  live("lists some of 60,000 unknown fields with the number of the others, and truncates long names", function*() {
    const daemon = yield* startTestDaemon()
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
  })

  live("rejects a JSON string that contains a valid document", function*() {
    const daemon = yield* startTestDaemon()
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
})
