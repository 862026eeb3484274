import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { parseDefinition } from "../../../src/domain/definition/DefinitionReader.ts"
import type { Tone } from "../../../src/server/dashboard/ConnectionRow.ts"
import {
  applyFilter,
  pageSize,
  parametersOf,
  type ProviderFilter,
  readFilter,
  slice
} from "../../../src/server/dashboard/ProviderFilter.ts"
import * as fc from "../../support/FastCheck.ts"

const provider = (name: string, more: Record<string, unknown> = {}, tone?: Tone) => {
  const definition = parseDefinition(JSON.stringify({
    name,
    auth_type: "api_key",
    flow: "api_key",
    hosts: [`api.${name}.example`],
    ...more
  }))
  return { definition: Result.getOrThrow(definition), tone }
}

const listed = [
  provider("airmail", { description: "Delivers letters.", categories: ["email"] }),
  provider("mail", { display_name: "Mail" }, "ok"),
  provider("mailbox", { display_name: "Mailbox" }),
  provider("zuerich", { display_name: "Zürich Versand", categories: ["logistics"] }, "bad")
]

const found = (query: string): ReadonlyArray<string> =>
  applyFilter(listed, readFilter(new URLSearchParams(query))).map(({ definition }) => definition.name)

describe("ProviderFilter", () => {
  it("lists all providers without a query, connected ones first", () => {
    assert.deepStrictEqual(found(""), ["mail", "zuerich", "airmail", "mailbox"])
  })

  it("ranks an exact name before a prefix, and a prefix before a match in the middle", () => {
    assert.deepStrictEqual(found("q=mail"), ["mail", "mailbox", "airmail"])
  })

  it("searches hosts, categories and descriptions, ignoring case and accents", () => {
    assert.deepStrictEqual(found("q=API.MAILBOX"), ["mailbox"])
    assert.deepStrictEqual(found("q=logistics"), ["zuerich"])
    assert.deepStrictEqual(found("q=letters"), ["airmail"])
    assert.deepStrictEqual(found("q=zurich"), ["zuerich"])
  })

  it("requires every word to match", () => {
    assert.deepStrictEqual(found("q=mail+letters"), ["airmail"])
    assert.deepStrictEqual(found("q=mail+logistics"), [])
  })

  it("filters by state, login method and category", () => {
    assert.deepStrictEqual(found("state=connected"), ["mail", "zuerich"])
    assert.deepStrictEqual(found("state=attention"), ["zuerich"])
    assert.deepStrictEqual(found("state=not_connected"), ["airmail", "mailbox"])
    assert.deepStrictEqual(found("type=oauth2"), [])
    assert.deepStrictEqual(found("category=email"), ["airmail"])
  })

  it("ignores invalid parameters, and returns nothing for unknown words", () => {
    assert.strictEqual(found("state=x&type=y&page=-1&other=z").length, listed.length)
    fc.assert(fc.property(fc.string(), fc.string(), (text, page) => {
      const filter = readFilter(new URLSearchParams({ q: text, page, category: text }))
      const items = applyFilter(listed, filter)
      assert.isTrue(items.every((item) => listed.includes(item)))
      assert.isAtLeast(filter.page, 1)
    }))
  })

  it("encodes a filter as a URL that decodes to the same filter", () => {
    const filter: ProviderFilter = { text: "a b", state: "attention", type: "oauth2", category: "ai", page: 3 }
    const entries = Object.entries(parametersOf(filter)).map(([name, value]): [string, string] => [name, String(value)])
    assert.deepStrictEqual(readFilter(new URLSearchParams(entries)), filter)
    assert.deepStrictEqual(Object.values(parametersOf(readFilter(new URLSearchParams()))).filter(Boolean), [])
  })

  it("shows the last page if the requested one does not exist", () => {
    const items = Array.from({ length: pageSize + 1 }, (_, index) => index)
    assert.deepStrictEqual(slice(items, 99), {
      items: [pageSize],
      from: pageSize + 1,
      total: pageSize + 1,
      page: 2,
      pages: 2
    })
    assert.deepStrictEqual(slice([], 1), { items: [], from: 1, total: 0, page: 1, pages: 1 })
  })
})
