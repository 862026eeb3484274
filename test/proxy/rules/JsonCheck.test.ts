/** JSON that servers read in other ways than the rules would, and its neighbors, which pass as they are. */
import { assert, describe } from "@effect/vitest"
import * as zlib from "node:zlib"
import * as fc from "../../support/FastCheck.ts"
import { propertyTest } from "../../support/PropertyTest.ts"
import { JSON_TYPE, problemOf, testForms, typed } from "../../support/RequestForms.ts"

describe("JsonCheck", () => {
  testForms(
    "JSON that lenient parsers read in another way",
    [
      typed(JSON_TYPE, "{\"_method\":\"DELETE\"}"),
      typed(JSON_TYPE, "{\"a\":[{\"\\u005fmethod\":\"DELETE\"}]}"),
      typed(JSON_TYPE, "\ufeff{\"a\":1}"),
      typed(JSON_TYPE, "{\"a\":\"\0\"}"),
      typed(JSON_TYPE, "{\"_meth\0od\":1}"),
      typed(JSON_TYPE, "{'_method':1}"),
      typed(JSON_TYPE, "{a:1}"),
      typed(JSON_TYPE, "{\"a\":1,}"),
      typed(JSON_TYPE, "{\"a\":1}/*"),
      typed(JSON_TYPE, "{\"a\":01}"),
      typed(JSON_TYPE, "{\"a\":1"),
      typed(JSON_TYPE, "{}{}"),
      typed(JSON_TYPE, "_method=DELETE"),
      typed(JSON_TYPE, Buffer.from([0x22, 0xc3, 0x28, 0x22])),
      typed(`${JSON_TYPE}; charset=utf-16`, Buffer.from("{}", "utf16le"))
    ],
    [
      typed(JSON_TYPE, "{\"id\":12345678901234567890,\"a\":[1.50,-0,1e400,true,null],\"b\":{}, \"method\":\"x\"}"),
      typed(`${JSON_TYPE}; charset=UTF-8`, "\r\n [\"\u00e9\\n\\ud83d\\ude00\"]\n"),
      typed("application/vnd.api+json; ext=\"https://jsonapi.org/ext/atomic\"", "{\"data\":null}"),
      typed("application/x-ndjson", "{\"index\":{}}\n{\"a\":1}\n"),
      typed(JSON_TYPE, ""),
      typed(JSON_TYPE, zlib.gzipSync("{\"a\":1}"), { headers: ["Content-Encoding", "gzip"] })
    ]
  )

  propertyTest(1000)(
    "is accepted however it is split",
    fc.jsonValue(),
    fc.integer({ min: 1, max: 9 }),
    fc.boolean(),
    (value, part, isSpaced) => {
      const body = JSON.stringify(value, null, isSpaced ? 2 : 0)
      fc.pre(!/method/i.test(body))
      assert.isUndefined(problemOf(typed(JSON_TYPE, body, { part })), body)
    }
  )
})
