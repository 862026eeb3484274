import { assert, describe, it } from "@effect/vitest"
import { sourceProblems } from "../../scripts/lib/DefinitionSources.ts"

describe("sourceProblems", () => {
  it("requires a source of every definition", () => {
    const definitions = new Map([
      ["acme", { sources: [{ read: "npm:acme@1.0.0", date: "2026-11-22" }] }],
      ["bare", { sources: [] }]
    ])
    assert.deepStrictEqual(sourceProblems(definitions), ["providers/bare.json: /sources needs at least one source"])
  })
})
