/** Bodies in which frameworks find the parameter `_method`, compared with what the proxy finds. */
import { assert, describe, it } from "@effect/vitest"
import express from "express"
import * as childProcess from "node:child_process"
import type * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as zlib from "node:zlib"
import { bodyCoding, bodyOverride, encodedOverride } from "../../src/proxy/BodyOverride.ts"

const FORM = "application/x-www-form-urlencoded"
const JSON_TYPE = "application/json"

/** Whether the rules refuse the body. */
const isRefused = (type: string, body: Buffer, coding?: string, host = "api.example.com"): boolean => {
  const headers = ["Content-Type", type, ...(coding === undefined ? [] : ["Content-Encoding", coding])]
  const request = { method: "POST", headers, authority: { kind: "name", host, port: 443 } } as const
  const unread = bodyCoding(request)
  return unread === undefined
    ? bodyOverride(request)?.(body) === true
    : encodedOverride(request, unread, body) !== false
}

/** Starts Express as its documentation shows it. The response is the parameter. */
const startExpress = async () => {
  const app = express()
  app.use(express.json(), express.urlencoded({ extended: true }))
  app.use((request, response) => {
    response.send(String(request.body?._method ?? ""))
  })
  const server = await new Promise<http.Server>((resolve) => {
    const started = app.listen(0, "127.0.0.1", () => resolve(started))
  })
  const { port } = server.address() as AddressInfo
  const ask = (type: string, body: Buffer, coding?: string) =>
    fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      headers: { "content-type": type, ...(coding === undefined ? {} : { "content-encoding": coding }) },
      body: new Uint8Array(body)
    }).then((response) => response.text())
  return { ask, close: () => server.close() }
}

const TEXT = "{\"_method\":\"DELETE\"}"

describe("bodyOverride", () => {
  it("finds every override that Express reads", async () => {
    const { ask, close } = await startExpress()
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
    try {
      for (const [type, body, coding] of rows) {
        assert.strictEqual(await ask(type, body, coding), "DELETE", `${type} ${body.toString("latin1")}`)
        assert.isTrue(isRefused(type, body, coding), `${type} ${body.toString("latin1")}`)
      }
    } finally {
      close()
    }
  })

  it("finds the parameter method, which is an ordinary one elsewhere, for hosts that obey it", () => {
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

  const hasPhp = childProcess.spawnSync("php", ["-v"], { stdio: "ignore" }).status === 0
  it.skipIf(!hasPhp)("finds every override that PHP reads in a form", () => {
    const spaces = ["", "+", " ", "%20", "++%20"]
    const marks = ["_", "%5f", "%5F", ".", "%2e", "[", "%5b", "+", "-"]
    const ends = ["=x", "%00=x", "%00a=x", "[]=x", "%5B%5D=x", "[=x", "]=x", "+=x", "s=x"]
    const bodies = ["", "a=1&"].flatMap((before) =>
      spaces.flatMap((space) => marks.flatMap((mark) => ends.map((end) => `${before}${space}${mark}m%65thod${end}`)))
    )
    const script = "foreach (json_decode(file_get_contents('php://stdin')) as $body) { parse_str($body, $found); " +
      "echo isset($found['_method']) ? '1' : '0'; }"
    const { stdout } = childProcess.spawnSync("php", ["-r", script], {
      input: JSON.stringify(bodies),
      encoding: "utf8"
    })
    assert.strictEqual(stdout.length, bodies.length)
    assert.isAbove(stdout.split("1").length, 100)
    for (const [at, body] of bodies.entries()) {
      if (stdout[at] === "1") assert.isTrue(isRefused(FORM, Buffer.from(body)), body)
    }
  })
})
