/**
 * Requests are read as a server of `node:http` reads the same bytes, however they are split and
 * mutated.
 */
import { describe, expect, it } from "vitest"
import * as fc from "../support/FastCheck.ts"
import { requestReadings } from "../support/RequestReaders.ts"
import { DELIMITERS, FRAMINGS, mutated, requestText, split } from "../support/RequestText.ts"

const text = (characters: string, maxLength: number) =>
  fc.array(fc.constantFrom(...characters), { maxLength }).map((list) => list.join(""))

const field = fc.oneof(
  fc.tuple(text("abcXYZ019-_.~!", 12).map((rest) => `X-${rest}`), text("abc XYZ 019\t,;=\"\xe9\xff", 20)),
  fc.constantFrom(
    ["Connection", "close"],
    ["Connection", "keep-alive, x"],
    ["Connection", "upgrade"],
    ["Upgrade", "websocket"],
    ["Expect", "100-continue"],
    ["Expect", "more"],
    ["Host", "example"],
    ["Content-Length", "0"],
    ["Transfer-Encoding", "gzip"]
  )
).map(([name, value]) => `${name}: ${value}\r\n`)
const fields = fc.array(field, { maxLength: 4 }).map((lines) => lines.join(""))

const chunked = (body: string, sizes: ReadonlyArray<number>, trailers: string): string => {
  let out = ""
  let at = 0
  for (const size of [...sizes, body.length]) {
    const piece = body.slice(at, at + size)
    if (piece === "") break
    out += `${piece.length.toString(16)}${size % 2 === 0 ? ";a=\"b\";c" : ""}\r\n${piece}\r\n`
    at += piece.length
  }
  return `${out}0\r\n${trailers}\r\n`
}

const ODD_METHODS = ["TRACE", "CONNECT", "QUERY", "M-SEARCH"]
const message = fc.record({
  method: fc.constantFrom("GET", "GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", ...ODD_METHODS),
  target: fc.constantFrom("/", "/a?b=c#d", "http://example/x", "*", "example:443", "/%00/../\\"),
  version: fc.constantFrom("1.1", "1.1", "1.1", "1.0"),
  fields,
  body: text("body \r\n0123:G", 30),
  framing: fc.constantFrom("none", ...FRAMINGS),
  sizes: fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 3 }),
  trailers: fields
}).map(({ body, fields, framing, method, sizes, target, trailers, version }) => {
  const head = `${method} ${target} HTTP/${version}\r\n${fields}`
  return requestText(head, framing, body, () => chunked(body, sizes, trailers))
})

const inserted = fc.oneof(
  fc.constantFrom(...DELIMITERS, "\x7f", "\r\n "),
  fc.nat(255).map((code) => String.fromCharCode(code))
)
const conversation = fc.tuple(mutated(message, inserted), fc.array(fc.nat(), { maxLength: 5 })).map(([text, cuts]) =>
  split(text, cuts)
)

describe("ServerConnection, for any request", () => {
  it("reads or rejects it as Node's server does", () =>
    fc.assert(
      fc.asyncProperty(conversation, async (pieces) => {
        const readings = await requestReadings(pieces)
        fc.pre(readings !== undefined)
        expect(readings[0]).toEqual(readings[1])
      }),
      { numRuns: 2000 }
    ))
})
