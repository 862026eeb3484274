/** Runs each fuzz target on its seeds and on mutations of them, which `CREDSVC_TEST_SEED` changes. */
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

/** A mutation: its position (modulo the length of the text), the number of removed characters and the inserted text. */
const change = fc.tuple(fc.nat(), fc.nat(4), added)

describe("fuzz targets", () => {
  for (const name of names) {
    it(`${name} holds for mutated seeds`, async () => {
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
        { numRuns: 500 }
      )
    })
  }
})
