/** Each fuzz target on its seeds and on changes of them, the same ones each time; `npm run fuzz` goes further. */
import * as fs from "node:fs"
import { assert, describe, it } from "vitest"
import * as fc from "../support/FastCheck.ts"
import type { Target } from "./Target.ts"

const directory = new URL("targets/", import.meta.url)
const names = fs.readdirSync(directory).map((file) => file.replace(/\.ts$/, ""))

const added = fc.oneof(
  fc.string({ unit: "binary-ascii", maxLength: 3 }),
  fc.constantFrom(
    "\r\n",
    "\n",
    "\0",
    "\xff",
    ":",
    "#",
    "%",
    ",",
    "0",
    "1",
    "\r\n\r\n",
    "0\r\n\r\n",
    "HTTP/1.0",
    "credsvc-proxy-managed"
  )
)

/** Where something happens, by the length of what it happens to; how much is taken out; what is put there. */
const change = fc.tuple(fc.nat(), fc.nat(4), added)

describe("whatever the bytes are", () => {
  for (const name of names) {
    it(`${name} holds`, async () => {
      const { fuzz, seeds } = await import(new URL(`${name}.ts`, directory).href) as Target
      assert.isNotEmpty(seeds)
      for (const seed of seeds) await fuzz(Buffer.from(seed, "latin1"))
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...seeds),
          fc.array(change, { minLength: 1, maxLength: 4 }),
          async (seed, changes) => {
            let text = seed
            for (const [where, removed, added] of changes) {
              const at = where % (text.length + 1)
              text = text.slice(0, at) + added + text.slice(at + removed)
            }
            await fuzz(Buffer.from(text, "latin1"))
          }
        ),
        { numRuns: 500, seed: 1 }
      )
    })
  }
})
