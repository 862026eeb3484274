import { assert, describe, it } from "@effect/vitest"
import { OpenExchanges } from "../../../src/proxy/exchange/OpenExchanges.ts"
import * as fc from "../../support/FastCheck.ts"

describe("OpenExchanges", () => {
  it("contains exactly the exchanges that have not ended", () => {
    // A step ends the open exchange with this index, or begins one.
    fc.assert(fc.property(fc.array(fc.nat(40), { maxLength: 200 }), (steps) => {
      const open = new OpenExchanges<{ readonly id: number; position: number }>()
      const expected: Array<{ readonly id: number; position: number }> = []
      for (const [id, step] of steps.entries()) {
        const [ending] = expected.splice(step, 1)
        if (ending === undefined) {
          const exchange = { id, position: 0 }
          open.add(exchange)
          expected.push(exchange)
        } else open.delete(ending)
        assert.strictEqual(open.size, expected.length)
        assert.sameMembers([...open.all], expected)
      }
    }))
  })
})
