import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { derivedName } from "../../src/providers/DerivedName.ts"

const named = (address: string, ...taken: ReadonlyArray<string>) =>
  derivedName(new URL(address), (name) => taken.includes(name))

describe("derivedName", () => {
  it.effect("names a server after its company, then after its host, then with a number", () =>
    Effect.gen(function*() {
      const address = "https://mcp.linear.app/mcp"
      assert.strictEqual(yield* named(address), "linear-mcp")
      assert.strictEqual(yield* named(address, "linear-mcp"), "mcp-mcp-linear-app")
      assert.strictEqual(yield* named(address, "linear-mcp", "mcp-mcp-linear-app"), "mcp-mcp-linear-app-2")
    }))

  it.effect("avoids a name whose variable other programs read as a setting", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* named("https://mcp.auth-something.dev/mcp"), "mcp-mcp-auth-something-dev")
      assert.strictEqual(yield* named("https://redis.io/mcp"), "mcp-redis-io")
    }))
})
