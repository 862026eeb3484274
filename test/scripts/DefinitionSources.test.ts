import { assert, describe, it } from "@effect/vitest"
import { sourceProblems } from "../../scripts/lib/DefinitionSources.ts"

const audited = { sources: [{ read: "npm:acme@1.0.0", date: "2026-11-22" }] }
const bare = { sources: [] }

describe("sourceProblems", () => {
  it("requires a source of every definition that is not listed as unaudited", () => {
    const definitions = new Map([["acme", audited], ["bare", bare], ["old", bare]])
    assert.deepStrictEqual(sourceProblems(definitions, new Set(["old"])), [
      "providers/bare.json: /sources needs at least one source"
    ])
  })

  it("requires that the list of unaudited definitions shrinks with each audit", () => {
    const definitions = new Map([["acme", audited]])
    assert.deepStrictEqual(sourceProblems(definitions, new Set(["acme", "gone"])), [
      "acme is listed as unaudited, but has sources; remove it from the list",
      "gone is listed as unaudited, but has no definition; remove it from the list"
    ])
  })
})
