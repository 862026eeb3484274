/** Requests that servers read in other ways than rules would, and their neighbors, which pass as they are. */
import { assert, describe, it } from "@effect/vitest"
import express from "express"
import { randomBytes } from "node:crypto"
import type * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as zlib from "node:zlib"
import { onTestFinished } from "vitest"
import { checkableRequest } from "../../../src/proxy/rules/CheckableRequest.ts"
import {
  BOUNDARY,
  field,
  FORM,
  FORM_DATA,
  JSON_TYPE,
  multipart,
  problemOf,
  query,
  RELATED,
  testForms,
  typed
} from "../../support/RequestForms.ts"

const TEXT = "{\"_method\":\"DELETE\"}"

const isRefused = (type: string, body: Buffer, coding?: string, host = "api.example.com"): boolean =>
  problemOf(typed(type, body, { host, headers: coding === undefined ? [] : ["Content-Encoding", coding] })) !==
    undefined

/** Starts Express, by default as its documentation shows it. The response is the parameter. */
const startExpress = async (json?: Parameters<typeof express.json>[0]) => {
  const app = express()
  app.use(express.json(json), express.urlencoded({ extended: true }))
  app.use((request, response) => {
    response.send(String(request.body?._method ?? ""))
  })
  const server = await new Promise<http.Server>((resolve) => {
    const started = app.listen(0, "127.0.0.1", () => resolve(started))
  })
  const { port } = server.address() as AddressInfo
  onTestFinished(() => void server.close())
  return (type: string, body: Buffer, coding?: string) =>
    fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      headers: { "content-type": type, ...(coding === undefined ? {} : { "content-encoding": coding }) },
      body: new Uint8Array(body)
    }).then((response) => response.text())
}

describe("checkableRequest", () => {
  it("finds every override that Express reads", async () => {
    const ask = await startExpress()
    const rows: ReadonlyArray<readonly [type: string, body: Buffer, coding?: string]> = [
      [FORM, Buffer.from("_method=DELETE")],
      [FORM, Buffer.from("a=1&%5Fm%65thod=DELETE")],
      [FORM, Buffer.from("[_method]=DELETE")],
      [FORM, Buffer.from("%5b_method%5d=DELETE")],
      [FORM, zlib.gzipSync("_method=DELETE"), "gzip"],
      [JSON_TYPE, Buffer.from("{\"\\u005f\\u006dethod\":\"DELETE\"}")],
      [JSON_TYPE, zlib.gzipSync(TEXT), "gzip"],
      [JSON_TYPE, zlib.brotliCompressSync(TEXT), "br"],
      [JSON_TYPE, zlib.deflateSync(TEXT), "deflate"],
      [`${JSON_TYPE}; charset=utf-16le`, Buffer.from(TEXT, "utf16le")],
      [`${JSON_TYPE}; charset=utf-16be`, Buffer.from(TEXT, "utf16le").swap16()],
      [`${JSON_TYPE}; charset=utf-7`, Buffer.from(TEXT.replace("_", "+AF8-"))]
    ]
    for (const [type, body, coding] of rows) {
      assert.strictEqual(await ask(type, body, coding), "DELETE", `${type} ${body.toString("latin1")}`)
      assert.isTrue(isRefused(type, body, coding), `${type} ${body.toString("latin1")}`)
    }
  })

  it("finds method overrides in JSON of any Content-Type, as Parse Server reads it", async () => {
    const ask = await startExpress({ type: () => true })
    const long = " ".repeat(2000)
    const rows: ReadonlyArray<readonly [type: string, body: Buffer, coding?: string]> = [
      ["text/plain", Buffer.from(`\n${TEXT}`)],
      ["image/png", Buffer.from(`\ufeff${long}{ "a":[{"b":1}],${TEXT.slice(1)}`)],
      [FORM, Buffer.from(TEXT)],
      ["text/plain", Buffer.from(`{"a":"\xff",${TEXT.slice(1)}`, "latin1")],
      ["text/plain; charset=utf-16le", Buffer.from(TEXT, "utf16le")],
      ["a/b", zlib.gzipSync(long + TEXT), "gzip"],
      ["a/b", zlib.deflateSync(TEXT), "deflate"],
      ["a/b", zlib.brotliCompressSync(`{"a":"${"x".repeat(5000)}",${TEXT.slice(1)}`), "br"]
    ]
    for (const [type, body, coding] of rows) {
      assert.strictEqual(await ask(type, body, coding), "DELETE", `${type} ${body.toString("latin1")}`)
      for (const part of [1, 1 << 20]) {
        const headers = coding === undefined ? [] : ["Content-Encoding", coding]
        assert.isDefined(problemOf(typed(type, body, { headers, part })), `${type} ${body.toString("latin1")}`)
      }
    }
    const deep = `{"a":${"[".repeat(600)}${"]".repeat(600)},${TEXT.slice(1)}`
    assert.strictEqual(await ask("text/plain", Buffer.from(deep)), "DELETE")
    assert.isDefined(problemOf(typed("text/plain", deep)))
    assert.isDefined(problemOf({ body: TEXT }))
    assert.isDefined(problemOf(typed("text/plain", zlib.gzipSync(" ".repeat(20_000_000) + TEXT), {
      headers: ["Content-Encoding", "gzip"]
    })))
    const before = process.cpuUsage().user
    assert.isDefined(problemOf(typed("text/plain", " ".repeat(100_000) + TEXT, { part: 1 })))
    const blanks = zlib.gzipSync(" ".repeat(250_000), { level: 0 })
    problemOf(typed("text/plain", blanks, { headers: ["Content-Encoding", "gzip"], part: 1 }))
    assert.isBelow(process.cpuUsage().user - before, 5_000_000, "reads white space in short parts once")
  })

  it("accepts other content, even if it begins like JSON", () => {
    const png = Buffer.from("\x89PNG\r\n\x1a\n_method", "latin1")
    const log = Buffer.from("[info] {\"_method\":\"DELETE\"}\n".repeat(100_000))
    const noise = randomBytes(300_000)
    const rows: ReadonlyArray<readonly [type: string, body: Buffer | string, coding?: string]> = [
      ["application/octet-stream", "{\"method\":\"x\",\"a\":[1]}"],
      ["text/plain", "{\"a\":1} // _method\n{\"_method\":1}"],
      ["text/plain", "{{ _method }} [_method] {\"_method\""],
      ["application/rtf", "{\\rtf1 \"_method\": }"],
      ["text/plain; charset=latin1", Buffer.from("{\xe9", "latin1")],
      ["text/plain", log],
      ["image/png", png],
      ["a/b", ""],
      ["application/grpc", Buffer.from([0, 0, 0, 0, 0x7b, 0x22])],
      ["a/b", "_method", "gzip"],
      ["a/b", log, "snappy"],
      ["a/b", "", "gzip"],
      ...([[zlib.gzipSync, "gzip"], [zlib.deflateSync, "deflate"], [zlib.brotliCompressSync, "br"], [
        zlib.zstdCompressSync,
        "zstd"
      ]] as const).flatMap(([encode, coding]) =>
        [log, png, noise].map((body) => ["a/b", encode(body), coding] as const)
      )
    ]
    for (const [type, body, coding] of rows) {
      const headers = coding === undefined ? [] : ["Content-Encoding", coding]
      for (const part of [1000, 1 << 20]) {
        assert.isUndefined(problemOf(typed(type, body, { headers, part })), `${type} ${coding} ${body.length}`)
      }
    }
  })

  it("treats the parameter `method` as an override only for hosts that obey it", () => {
    const part = "--x\r\nContent-Disposition: form-data; name="
    const rows: ReadonlyArray<readonly [host: string, type: string, body: Buffer, coding?: string]> = [
      ["graph.facebook.com", FORM, Buffer.from("method=delete")],
      ["graph.facebook.com", FORM, Buffer.from("a=1&+M%65thod=delete")],
      ["graph.facebook.com", FORM, zlib.gzipSync("method=delete"), "gzip"],
      ["graph.instagram.com", JSON_TYPE, Buffer.from("{\"a\":1,\"m\\u0065thod\":\"delete\"}")],
      [
        "graph-video.facebook.com",
        "multipart/form-data; boundary=x",
        Buffer.from(`${part}"method"\r\n\r\ndelete\r\n--x--`)
      ],
      ["app.asana.com", FORM, Buffer.from("%6fpt_method=delete")],
      ["app.asana.com", JSON_TYPE, Buffer.from("{\"options\":{\"method\":\"delete\"}}")]
    ]
    for (const [host, type, body, coding] of rows) {
      assert.isTrue(isRefused(type, body, coding, host), `${host} ${type} ${body.toString("latin1")}`)
      assert.isFalse(isRefused(type, body, coding), `${type} ${body.toString("latin1")}`)
    }
    const similar = Buffer.from("payment_method=1&method_type=2&methods=3")
    assert.isFalse(isRefused(FORM, similar, undefined, "graph.facebook.com"))
    assert.isTrue(isRefused(FORM, Buffer.from("_method=DELETE"), undefined, "graph.facebook.com"))
  })

  testForms(
    "names that some servers normalize",
    [
      query("X.HTTP.Method.Override=DELETE"),
      query("x_http_method_override=DELETE"),
      query("X-HTTP-Method-Override=DELETE"),
      query("_HttpMethod=DELETE"),
      query("http_method=DELETE"),
      query("x-tunneled-method=DELETE"),
      query("%255fmethod=DELETE"),
      query("?_method=DELETE"),
      query("?x-http-method-override=DELETE"),
      query("rest_route=/wp/v2/users"),
      typed(FORM, "rest.route=/wp/v2/users"),
      query("a=b;_method=DELETE"),
      query("\uff3fmethod=DELETE".replace("\uff3f", "%EF%BC%BF")),
      typed(FORM, "X-HTTP-Method-Override=DELETE"),
      typed(FORM, "X.HTTP.Method.Override=DELETE"),
      typed(FORM, "http_method=DELETE"),
      typed(JSON_TYPE, "{\"x-http-method-override\":\"DELETE\"}"),
      { headers: ["X.HTTP.Method.Override", "DELETE"] },
      { headers: ["x_http_method_override", "DELETE"] },
      { headers: ["X-Original-URL", "/admin"] },
      { headers: ["X-Original-URI", "/admin"] },
      { headers: ["X-MethodOverride", "DELETE"] },
      ...["SCRIPT_NAME", "X-Script-Name"].map((name) => ({ headers: [name, "/x"], target: "/x/admin" })),
      { headers: ["X-Forwarded-Uri", "/admin"] },
      { headers: ["X-Forwarded-Method", "DELETE"] },
      { headers: ["Content_Type", FORM], body: "a=b" },
      { headers: ["Content.Type", FORM], body: "a=b" },
      { headers: ["Transfer_Encoding", "chunked"] }
    ],
    [
      query("method=card&http_methods=x"),
      typed(JSON_TYPE, "{\"check\":{\"http_method\":\"GET\"}}"),
      { headers: ["X-Method", "x", "Script-Name", "x", "X_Request_Id", "1", "Content-Language", "en"] },
      // Of the proxy of Next.js.
      { headers: ["X-Forwarded-Host", "localhost:3000", "X-Forwarded-Proto", "http", "X-Forwarded-For", "::1"] }
    ]
  )

  testForms(
    "overrides of other methods than POST",
    ["PUT", "PATCH", "DELETE"].flatMap((method) => [
      typed(FORM, "_method=DELETE", { method }),
      typed(JSON_TYPE, "{\"_method\":\"DELETE\"}", { method }),
      typed(FORM_DATA, multipart(field("_method")), { method })
    ]),
    [typed(FORM, "a=b&c&d=", { method: "PUT" }), typed("text/plain", "_method=DELETE", { method: "PATCH" })]
  )

  testForms(
    "names that some servers normalize",
    [
      ...["a=1;%5FM%65thod=DELETE", ".method=DELETE", `${"[".repeat(1000)}%5b_method]=DELETE`].map((body) =>
        typed(FORM, body)
      ),
      typed(FORM, `a=1&%20${"+".repeat(1000)} _method=DELETE`),
      typed(FORM, `a=${"x".repeat(100_000)}&_method=DELETE`),
      typed(`${FORM}; charset=utf-8`, "first=1&_method=DELETE"),
      typed(JSON_TYPE, "{\"a\":1, \"_method\"\n: \"DELETE\"}"),
      typed("application/vnd.api+json", "{\"\\u005fm\\u0065thod\":\"DELETE\"}"),
      ...["\" _method\"", "\"[_me\\thod]\"", `${" ".repeat(400)}_method`].map((name) =>
        typed(FORM_DATA, multipart(`Content-Disposition: form-data; name=${name}\r\n\r\nDELETE`))
      ),
      typed(FORM_DATA, multipart("Content-Disposition: form-data; name*=utf-8''%5f%6Dethod\r\n\r\nDELETE"))
    ],
    [
      typed(FORM, "payment_method=pm_1&payment_method_types[]=card&_methods=x&a=_method"),
      typed(FORM, `a=${"x".repeat(300)}payment_method=${"y".repeat(256)}`),
      typed(JSON_TYPE, "{\"payment_method\":\"_method \\\"_method\\\": 1\",\"method\":\"x\"}"),
      typed(FORM_DATA, multipart(field("pay_method"))),
      typed("text/plain", "_method=DELETE")
    ]
  )

  testForms(
    "requests inside of the body",
    [
      ...["mixed", "batch", "parallel"].map((kind) =>
        typed(
          `multipart/${kind}; boundary=${BOUNDARY}`,
          multipart("Content-Type: application/http\r\n\r\nDELETE /y\r\n")
        )
      ),
      typed(RELATED, multipart("Content-Type: application/http; msgtype=request\r\n\r\nDELETE /y HTTP/1.1\r\n")),
      typed(FORM_DATA, multipart(`Content-Type: message/http\r\n${field("a", "DELETE /y HTTP/1.1\r\n")}`)),
      typed("application/http", "DELETE /y HTTP/1.1\r\n\r\n"),
      typed(`multipart/mixed; boundary=${BOUNDARY}`, multipart(field("_method")), { carries: true }),
      typed(`multipart/mixed; boundary=${BOUNDARY}`, multipart("Content-ID: <_method>\r\n\r\nDELETE"), {
        carries: true
      }),
      ...[
        ["/v1.0/$batch", "{\"requests\":[{\"id\":\"1\",\"method\":\"DELETE\",\"url\":\"/me\"}]}"],
        ["/api/1.0/batch", "{\"data\":{\"actions\":[{\"relative_path\":\"/tasks/1\",\"method\":\"delete\"}]}}"],
        ["/3.0/Batches", "{\"operations\":[{\"Method\":\"DELETE\",\"path\":\"/lists/1\"}]}"],
        ["/v1.0/%24b%61tch", "{\"requests\":[{\"id\":\"1\",\"method\":\"DELETE\",\"url\":\"/me\"}]}"],
        ["/k/v1/bulkRequest.json", "{\"requests\":[{\"method\":\"DELETE\",\"api\":\"/k/v1/records.json\"}]}"],
        ["/services/data/v60.0/composite", "{\"compositeRequest\":[{\"method\":\"DELETE\",\"url\":\"/x\"}]}"]
      ].map(([target = "", body = ""]) => typed(JSON_TYPE, body, { target })),
      { method: "GET", target: "/1/batch?urls=/boards/1,/boards/2" },
      { method: "GET", target: "/rest/v1.1/b%61tch?a=b&u%72ls%5b%5d=/me" },
      typed(FORM, "requests[0][path]=/wp/v2/users/1", { target: "/blog/wp-json/batch/v1" }),
      typed(JSON_TYPE, "{\"requests\":[{\"path\":\"/wp/v2/users/1\"}]}", { target: "/wp-json/b%61tch/v1?a=b" }),
      { target: "/wp-json/batch/v1?requests[0][path]=/wp/v2/users/1" },
      typed("application/xml", "<IntuitBatchRequest/>", { target: "/v3/company/1/batch?minorversion=75" }),
      typed("application/x-ndjson", "{\"delete\":{\"_index\":\"secret\",\"_id\":\"1\"}}\n", {
        target: "/allowed/_bulk"
      }),
      typed("application/cbor", "\xa0", { target: "/allowed/%5fmget" }),
      { method: "GET", target: "/allowed/_msearch/template?source={}" },
      typed("application/xml", "<Delete/>", { signed: true, target: "/bucket?d%65lete&x-id=DeleteObjects" }),
      ...[FORM, JSON_TYPE].map((type) =>
        typed(type, type === FORM ? "batch=[]" : "{\"batch\":[]}", { host: "graph.facebook.com" })
      )
    ],
    [
      typed(
        `multipart/mixed; boundary=${BOUNDARY}`,
        multipart(
          "Content-Type: application/http\r\nContent-ID: <1>\r\n\r\nDELETE /y HTTP/1.1\r\n\r\n",
          "Content-Type: multipart/mixed; boundary=group\r\n\r\n--group\r\n\r\nx\r\n--group--"
        ),
        { carries: true }
      ),
      { method: "GET", target: "/1/batch?urls=/boards/1", carries: true },
      { method: "GET", target: "/1/search?urls=x&batch=1" },
      { method: "GET", target: "/1/batch?curls=x" },
      { target: "/allowed/_search" },
      typed(JSON_TYPE, "{\"method\":\"x\",\"apis\":[]}", { target: "/v1/bulk" }),
      typed(JSON_TYPE, "{}", { target: "/v3/company/1/batches" }),
      typed("application/x-ndjson", "{\"index\":{\"_index\":\"a\"}}\n{}\n", {
        target: "/allowed/_bulk",
        carries: true
      }),
      typed("application/xml", "<Delete/>", { signed: true, target: "/bucket?delete", carries: true }),
      typed("application/xml", "<a/>", { signed: true, target: "/bucket/delete?deletes&uploads" }),
      typed("application/xml", "<a/>", { target: "/x?delete" }),
      typed(FORM, "requests[0][path]=/wp/v2/users/1", { target: "/wp-json/batch/v1", carries: true }),
      typed(JSON_TYPE, "{\"delete\":[1]}", { target: "/wp-json/wc/v3/products/batch" }),
      // Google's uploads of a file with its metadata.
      typed(
        RELATED,
        multipart("Content-Type: application/json\r\n\r\n{\"name\":\"x\"}", "Content-Type: image/png\r\n\r\n\x89PNG")
      ),
      typed(JSON_TYPE, "{\"requests\":[{\"custom_id\":\"1\",\"params\":{}}],\"url\":\"x\"}", {
        target: "/v1/batches"
      }),
      typed(JSON_TYPE, "{\"webhook\":{\"method\":\"POST\",\"url\":\"https://example.com\"}}"),
      typed(FORM, "batch=1")
    ]
  )

  it("sends a body without Content-Type as application/octet-stream, so no server reads it as a form", () => {
    const head = (headers: ReadonlyArray<string>, hasBody: boolean) =>
      checkableRequest({
        method: "PUT",
        target: "/",
        authority: { kind: "name", host: "api.example.com", port: 443 },
        headers: [...headers],
        withheld: [],
        hasBody,
        expectsContinue: false,
        wantsTrailers: false,
        upgrade: undefined,
        isGrpc: false,
        userAgent: undefined
      }, false).head.headers
    assert.deepStrictEqual(head([], true), ["Content-Type", "application/octet-stream"])
    assert.deepStrictEqual(head([], false), [])
  })
})
