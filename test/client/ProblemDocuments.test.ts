import { assert, describe, it } from "@effect/vitest"
import { decodeProblem } from "../../src/client/ProblemDocuments.ts"
import { OperationNotAllowedError } from "../../src/domain/Errors.ts"

const refused = OperationNotAllowedError.of("Not here.")

describe("decodeProblem", () => {
  it.each([
    ["the error that the document names", JSON.stringify(refused), "OperationNotAllowedError"],
    [
      "a refusal with any status",
      JSON.stringify({ error: "RequestRefusedError", detail: "No.", status: 431 }),
      "RequestRefusedError"
    ],
    ["nothing for an error of a later version", JSON.stringify({ ...refused, error: "LaterError" }), undefined],
    ["nothing for text that is not JSON", "<html>", undefined]
  ])("returns %s", (_, text, tag) => {
    assert.strictEqual(decodeProblem(text)?._tag, tag)
  })

  it("adds the request to the message", () => {
    const text = JSON.stringify({ error: "RequestRefusedError", detail: "No." })
    assert.include(decodeProblem(text, " (request 1)")?.message, "No. (request 1)")
  })
})
