/** Types of content that servers read in other ways than the rules would, and their neighbors. */
import { describe } from "@effect/vitest"
import * as zlib from "node:zlib"
import {
  BOUNDARY,
  field,
  FORM,
  FORM_DATA,
  JSON_TYPE,
  multipart,
  RELATED,
  testForms,
  typed
} from "../../support/RequestForms.ts"

const TEXT = "{\"_method\":\"DELETE\"}"

describe("contentType", () => {
  testForms(
    "types that name two kinds of content",
    [
      { headers: ["Content-Type", "text/plain", "Content-Type", FORM], body: "_method=DELETE" },
      typed(`text/plain, ${FORM}`, "_method=DELETE"),
      typed(`${FORM}; charset=utf-7`, "+AF8-method=DELETE"),
      typed("application/x-www-form-urlencoded-x", "_method=DELETE"),
      typed(JSON_TYPE, "{}", { headers: ["Content-Encoding", "compress"] }),
      // PHP and formidable search instead of parsing.
      ...["xboundary=y; boundary", "a=boundary; x=y; boundary", "boundaryx=y; boundary", "xboundary=y; BOUNDARY"].map(
        (before) => typed(`multipart/form-data; ${before}=${BOUNDARY}`, multipart(field("a")))
      ),
      typed(`multipart/form-data; charset=utf-7; boundary=${BOUNDARY}`, multipart(field("+AF8-method"))),
      typed(`multipart/form-data; charset=boundary; x=y; boundary=${BOUNDARY}`, multipart(field("a"))),
      ...["text/plain; a=urlencoded", `text/plain; a="${FORM}"`, "application/x-urlencoded"].map((type) =>
        typed(type, "_method=DELETE")
      ),
      ...["text/plain; a=multipart; ", "application/multipart; ", "application/form-data; "].map((type) =>
        typed(`${type}boundary=${BOUNDARY}`, multipart(field("_method")))
      ),
      typed("text/plain; a=json", TEXT),
      typed(`${FORM}; a=json`, TEXT)
    ],
    [
      typed("text/plain; charset=utf-8", "a"),
      typed(`${FORM_DATA}; charset=UTF-8`, multipart(field("a"))),
      typed(
        `multipart/form-data; boundary=boundary-x`,
        "--boundary-x--\r\n".replace(/^/, `--boundary-x\r\n${field("a")}\r\n`)
      ),
      typed(`${RELATED}; type="application/json"`, multipart("Content-Type: application/json\r\n\r\n{}")),
      typed("application/ld+json; profile=\"https://example.com/context.json\"", "{}"),
      typed("application/octet-stream", zlib.gzipSync("a"), { headers: ["Content-Encoding", "x"] })
    ]
  )
})
