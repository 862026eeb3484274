import { assert, describe, it } from "@effect/vitest"
import { drawSessionId } from "../../../src/flows/sessions/AuthSessions.ts"

describe("drawSessionId", () => {
  it("generates no ID that looks like an option", () => {
    const ids = Array.from({ length: 2000 }, drawSessionId)
    assert.deepStrictEqual(ids.filter((id) => id.startsWith("-")), [])
    assert.strictEqual(new Set(ids).size, ids.length)
  })
})
