/** Responses are read as Node's own client reads the same bytes, however they are split. */
import { describe, expect, it } from "vitest"
import * as fc from "../support/FastCheck.ts"
import { split } from "../support/RequestText.ts"
import { readByNode, readByUs, responseOutcomes } from "../support/ResponseReaders.ts"

const text = (characters: string, maxLength: number) =>
  fc.array(fc.constantFrom(...characters), { maxLength }).map((list) => list.join(""))
const name = text("abcXYZ019-_.~!", 12).map((rest) => `X-${rest}`)
const value = text("abc XYZ 019\t,;=\"\xe9\xff", 20)
const fields = fc.array(fc.tuple(name, value), { maxLength: 5 })
const lines = (pairs: ReadonlyArray<readonly [string, string]>) =>
  pairs.map(([name, value]) => `${name}: ${value}\r\n`).join("")

/** Fields for framing, which have no meaning without a body. */
const meaningless = fc.constantFrom("", "", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n")

const informing = fc.tuple(fc.constantFrom(100, 102, 103, 104, 199), fields, meaningless)
  .map(([status, pairs, framing]) => `HTTP/1.1 ${status} Wait\r\n${lines(pairs)}${framing}\r\n`)

const chunked = (body: string, sizes: ReadonlyArray<number>, trailers: string): string => {
  let out = ""
  let at = 0
  for (const size of sizes) {
    const piece = body.slice(at, at + size)
    if (piece === "") break
    out += `${piece.length.toString(16)}${size % 2 === 0 ? ";a=b" : ""}\r\n${piece}\r\n`
    at += piece.length
  }
  const rest = body.slice(at)
  return `${out}${rest === "" ? "" : `${rest.length.toString(16)}\r\n${rest}\r\n`}0\r\n${trailers}\r\n`
}

const response = fc.record({
  method: fc.constantFrom("GET", "GET", "POST", "HEAD"),
  before: fc.array(informing, { maxLength: 2 }),
  version: fc.constantFrom("1.1", "1.1", "1.0"),
  status: fc.constantFrom(200, 200, 201, 204, 206, 304, 404, 500, 999),
  reason: text("OK not \xe9", 10),
  fields,
  body: text("body \r\n0123:", 60),
  framing: fc.constantFrom("length", "chunks", "end"),
  sizes: fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 5 }),
  trailers: fields,
  last: fc.boolean()
}).map(({ before, body, fields, framing, last, method, reason, sizes, status, trailers, version }) => {
  const bare = method === "HEAD" || status === 204 || status === 304
  const head = `HTTP/${version} ${status} ${reason}\r\n${lines(fields)}${last ? "Connection: close\r\n" : ""}`
  const coding = framing === "chunks" && version === "1.1"
  const framed = coding
    ? `Transfer-Encoding: chunked\r\n\r\n${bare ? "" : chunked(body, sizes, lines(trailers))}`
    : framing === "length"
    ? `Content-Length: ${body.length}\r\n\r\n${bare ? "" : body}`
    : `\r\n${bare ? "" : body}`
  return { method, text: before.join("") + head + framed, ends: last || framing === "end" || version === "1.0" }
})

const cuts = fc.array(fc.nat(), { maxLength: 6 })

describe("ClientConnection, for any response", () => {
  it("reads it as Node's client does", () =>
    fc.assert(
      fc.asyncProperty(response, cuts, async ({ ends, method, text }, at) => {
        const script = { method, pieces: split(text, at), ends }
        const ours = await readByUs(script)
        expect(ours).toEqual(await readByNode(script))
        expect(ours.failed).toBe(false)
        expect(ours.trailers).toBeDefined()
      }),
      { numRuns: 200 }
    ))

  it("rejects or truncates it where Node's client does", () =>
    fc.assert(
      fc.asyncProperty(
        response,
        cuts,
        fc.nat(),
        fc.constantFrom("", "\n", "\r", " ", "\0", "0", ":", "x", "\r\n", ","),
        fc.integer({ min: 0, max: 2 }),
        async ({ method, text }, at, place, inserted, removed) => {
          const where = place % (text.length + 1)
          const changed = text.slice(0, where) + inserted + text.slice(where + removed)
          const outcomes = await responseOutcomes({ method, pieces: split(changed, at), ends: true })
          fc.pre(outcomes !== undefined)
          expect(outcomes[0]).toEqual(outcomes[1])
        }
      ),
      { numRuns: 300 }
    ))
})
