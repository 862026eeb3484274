import { assert, it } from "@effect/vitest"
import { linesOf } from "../../../src/cli/commands/LogRequests.ts"

it("LogRequests › prints control characters of a reported request as escape sequences of JSON", () => {
  const entry = { host: "a\x9b2J.example", path: "/\u202ex", method: "GET\x7f" } as any
  const lines = linesOf([entry, entry])
  assert.match(lines, /^[\x20-\x7e]+\n[\x20-\x7e]+$/)
  for (const line of lines.split("\n")) assert.deepStrictEqual(JSON.parse(line), entry)
})
