import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { parseConfig } from "../../../src/config/file/ConfigFormat.ts"
import { readPlainConfig } from "../../../src/config/file/PlainConfig.ts"
import * as fc from "../../support/FastCheck.ts"

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

const plain = fc.record({
  $schema: fc.constant("config.schema.json"),
  version: fc.constant(1),
  active_profile: fc.constantFrom("quiet-heron-4821", "é"),
  master_key_mode: fc.constantFrom("keyring", "local_key", "file"),
  log_format: fc.constantFrom("json", "text", "yaml")
}, { noNullPrototype: true, requiredKeys: [] })

describe("readPlainConfig", () => {
  it("reads the files that it supports exactly as the schema does", () => {
    const wrong = fc.constantFrom<unknown>(null, 0, 2, "", "later", [], {}, { contain: true })
    let read = 0
    const check = (value: unknown) => {
      const actual = readPlainConfig(bytes(value))
      if (actual === undefined) return
      read++
      assert.deepStrictEqual(parseConfig(bytes(value)), Result.succeed(actual))
    }
    const keys = fc.constantFrom(
      "$schema",
      "version",
      "active_profile",
      "master_key_mode",
      "log_format",
      "run",
      "later"
    )
    fc.assert(fc.property(plain, check))
    fc.assert(fc.property(plain, keys, wrong, (value, key, other) => check({ ...value, [key]: other })))
    assert.isAbove(read, 50)
  })

  it("leaves every other file to the schema", () => {
    for (const value of [null, [], "", { run: {} }, { upstream: {} }, { later: 1 }, { version: 2 }]) {
      assert.isUndefined(readPlainConfig(bytes(value)), JSON.stringify(value))
    }
    assert.isUndefined(readPlainConfig(new TextEncoder().encode("{")))
    assert.isUndefined(readPlainConfig(Uint8Array.of(0x22, 0xff, 0x22)))
  })
})
