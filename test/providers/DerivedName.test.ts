import { assert, describe } from "@effect/vitest"
import { derivedName } from "../../src/providers/DerivedName.ts"
import { effect } from "../support/Fixture.ts"

const named = (address: string, ...taken: ReadonlyArray<string>) =>
  derivedName(new URL(address), (name) => taken.includes(name))

describe("derivedName", () => {
  effect("names a server after its company, then after its host, then with a number", function*() {
    const address = "https://mcp.linear.app/mcp"
    assert.strictEqual(yield* named(address), "linear-mcp")
    assert.strictEqual(yield* named(address, "linear-mcp"), "mcp-mcp-linear-app")
    assert.strictEqual(yield* named(address, "linear-mcp", "mcp-mcp-linear-app"), "mcp-mcp-linear-app-2")
  })

  effect("shortens the host to a valid name", function*() {
    const host = `${"a".repeat(43)}-mcp`
    assert.strictEqual(yield* named(`https://${host}.example.com`, "example-mcp"), `mcp-${host}`)
    assert.strictEqual(yield* named(`https://${host}.example.com`, "example-mcp", `mcp-${host}`), `mcp-${host}-2`)
  })

  effect("avoids a name whose variable other programs read as a setting", function*() {
    assert.strictEqual(yield* named("https://mcp.auth-something.dev/mcp"), "mcp-mcp-auth-something-dev")
    assert.strictEqual(yield* named("https://redis.io/mcp"), "mcp-redis-io")
  })
})
