import { describe, expect, it, vi } from "vitest"
import { MessageParser } from "../../../src/http/http1/MessageParser.ts"
import * as fc from "../../support/FastCheck.ts"

interface Read {
  readonly messages: Array<Readonly<Record<string, unknown>>>
  readonly rest: string
}

/** All events of a parser for these bytes, with joined bodies, up to the end or an error. */
const read = (type: "request" | "response", chunks: ReadonlyArray<string>, bodiless = false): Read => {
  const parser = new MessageParser(type)
  parser.hasNoContent = bodiless
  const messages: Array<Record<string, unknown>> = []
  const last = (): Record<string, unknown> => messages.at(-1) ?? {}
  let rest = ""
  let failed = false
  for (const chunk of failed ? [] : chunks) {
    parser.feed(Buffer.from(chunk, "latin1"))
    for (let next = parser.next(); next !== "more"; next = parser.next()) {
      if (next === "head") {
        const { headers, keepAlive, method, minorVersion, reason, status, upgrade, url } = parser
        const line = type === "request" ? { method, url } : { status, reason }
        messages.push({ ...line, headers, keepAlive, upgrade, minorVersion, body: "" })
      }
      if (next === "body") last()["body"] += parser.chunk.toString("latin1")
      if (next === "end") {
        last()["ended"] = true
        if (parser.trailers.length > 0) last()["trailers"] = parser.trailers
        rest = parser.rest.toString("latin1")
      }
      if (next === "error") {
        messages.push({ error: true, overlong: parser.overlong })
        failed = true
        break
      }
    }
    if (failed) break
  }
  const finished = failed ? "error" : parser.finish()
  if (finished === "end") last()["ended"] = true
  if (finished === "error" && !failed) messages.push({ error: true, overlong: false })
  parser.close()
  parser.close()
  return { messages, rest }
}

const request = (more: object) => ({
  headers: [],
  keepAlive: true,
  upgrade: false,
  minorVersion: 1,
  body: "",
  ended: true,
  ...more
})
const failure = { error: true, overlong: false }

describe("MessageParser", () => {
  it("reads Vault's method, which llhttp does not know", () => {
    const text = "LIST /a HTTP/1.1\r\n\r\nLINK /b HTTP/1.1\r\n\r\nLIST /c HTTP/1.1\r\nContent-Length: 5\r\n\r\nLIST "
    expect(read("request", [text]).messages).toMatchObject([
      { method: "LIST", url: "/a" },
      { method: "LINK", url: "/b" },
      { method: "LIST", url: "/c", body: "LIST " }
    ])
    expect(read("request", ["LISTS / HTTP/1.1\r\n\r\n"]).messages).toEqual([failure])
  })

  it("does not depend on how the bytes are split", () => {
    const text = "POST /a HTTP/1.1\r\nHost: example\r\nEmpty:\r\nTransfer-Encoding: chunked\r\n\r\n" +
      "4;x=y\r\nbody\r\n2\r\n!!\r\n0\r\nX-Trailer: t\r\n\r\nGET /b HTTP/1.0\r\n\r\n"
    const whole = read("request", [text])
    expect(whole.messages.map(({ body }) => body)).toEqual(["body!!", ""])
    expect(whole.messages[0]?.["trailers"]).toEqual(["X-Trailer", "t"])
    fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 8 }), (cuts) => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), text.length]
      expect(read("request", at.slice(1).map((end, i) => text.slice(at[i], end))).messages).toEqual(whole.messages)
    }))
  })

  it("reads fields of any length at any position", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 12 })
    const pairs = (lengths: ReadonlyArray<number>, letter: string): ReadonlyArray<string> =>
      lengths.flatMap((length, at) => [`${letter}${at}`.padEnd(length, letter), `${at}\xe9`.padEnd(length % 1999, ".")])
    const lines = (fields: ReadonlyArray<string>): string =>
      fields.map((text, at) => at % 2 === 0 ? `${text}: ` : `${text}\r\n`).join("")
    fc.assert(fc.property(sizes, sizes, (head, tail) => {
      const [headers, trailers] = [pairs(head, "h"), pairs(tail, "t")]
      const text = `POST / HTTP/1.1\r\n${lines(headers)}Transfer-Encoding: chunked\r\n\r\n0\r\n${lines(trailers)}\r\n`
      expect(read("request", [text]).messages).toEqual([
        request({ method: "POST", url: "/", headers: [...headers, "Transfer-Encoding", "chunked"], trailers })
      ])
    }))
  })

  it("decodes a head in one step, together with at most a little of the body", () => {
    const input = Buffer.from(
      `PUT / HTTP/1.1\r\n${"a: b\r\n".repeat(100)}Content-Length: 60000\r\n\r\n${"x".repeat(60_000)}`
    )
    const parser = new MessageParser("request")
    const texts = vi.spyOn(Buffer.prototype, "toString")
    parser.feed(input)
    while (parser.next() !== "more");
    const { contexts, results } = texts.mock
    const lengths = results.filter((_, at) => contexts[at] === input).map(({ value }) => value.length)
    texts.mockRestore()
    parser.close()
    expect(lengths).toEqual([1024])
  })

  it("copies its input only once, for any number of chunks", () => {
    const parser = new MessageParser("request")
    const copies = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype), "set")
    parser.feed(
      Buffer.from(`PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\na\r\n".repeat(5000)}0\r\n\r\n`)
    )
    let chunks = 0
    for (let next = parser.next(); next !== "more"; next = parser.next()) if (next === "body") chunks++
    const count = copies.mock.calls.length
    copies.mockRestore()
    parser.close()
    expect([chunks, count]).toEqual([5000, 1])
  })

  it("keeps parsers independent of each other", () => {
    const texts = ["one", "two"].map((name) =>
      `PUT /${name} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${`3\r\n${name}\r\n`.repeat(30_000)}0\r\n\r\n`
    )
    const parsers = texts.map((text) => {
      const parser = new MessageParser("request")
      parser.feed(Buffer.from(text))
      return parser
    })
    const bodies = ["", ""]
    for (let going = true; going;) {
      going = false
      for (const [i, parser] of parsers.entries()) {
        const next = parser.next()
        expect(next).not.toBe("error")
        if (next === "body") bodies[i] += parser.chunk.toString()
        if (next !== "more") going = true
      }
    }
    for (const parser of parsers) parser.close()
    expect(bodies).toEqual(["one".repeat(30_000), "two".repeat(30_000)])
  })

  it.each([
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["anything after a last message", "GET / HTTP/1.1\r\nConnection: close\r\n\r\nGET / HTTP/1.1\r\n\r\n"],
    ["the end within a head", "GET / HTTP/1.1\r\nHost"],
    ["the end within a body", "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhi"]
  ])("rejects %s", (_, text) => {
    expect(read("request", [text]).messages.at(-1)).toEqual(failure)
  })

  it.each([
    ["target", `GET /${"a".repeat(70_000)} HTTP/1.1\r\n\r\n`],
    ["field", `GET / HTTP/1.1\r\nA: ${"a".repeat(70_000)}\r\n\r\n`],
    ["list of fields", `GET / HTTP/1.1\r\n${"a: b\r\n".repeat(40_000)}\r\n`],
    ["list of trailers", `PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${"a: b\r\n".repeat(40_000)}\r\n`]
  ])("rejects a %s without an end", (_, text) => {
    expect(read("request", [text]).messages.at(-1)).toEqual({ error: true, overlong: true })
  })

  /** `value`: the one of the field `A`, which precedes the length. */
  const lax: ReadonlyArray<readonly [what: string, head: string, value: string]> = [
    ["bare line feeds", "HTTP/1.1 200 OK\nA: one\nContent-Length: 2\n\n", "one"],
    ["one bare line feed", "HTTP/1.1 200 OK\r\nA: one\nContent-Length: 2\r\n\r\n", "one"],
    ["white space before colons", "HTTP/1.1 200 OK\r\nA : one\r\nContent-Length \t: 2\r\n\r\n", "one"],
    ["folded lines", "HTTP/1.1 200 OK\r\nA: one \r\n\ttwo\r\n  three\r\nContent-Length: 2\r\n\r\n", "one two three"],
    ["a line folded at its beginning", "HTTP/1.1 200 OK\r\nA:\r\n one\r\nContent-Length: 2\r\n\r\n", "one"],
    ["the same length twice", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nA: one\r\ncontent-length: 2, 2\r\n\r\n", "one"],
    ["control characters in a value", "HTTP/1.1 200 OK\r\nA: one\x01two\0\x7f\r\nContent-Length: 2\r\n\r\n", "one two"],
    ["an old coding", "HTTP/1.1 200 OK\r\nA: one\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\n", "one"],
    ["all of them", "HTTP/1.1 200 OK\nA : one\n two\nContent-Length : 2\n\n", "one two"]
  ]
  it.each(lax)("repairs %s in a response, however it is split", (_, head, value) => {
    const headers = ["A", value, "Content-Length", "2"]
    const text = `${head}hi`
    const splits = [[text], [...text], ...[...text].map((_, at) => [text.slice(0, at), text.slice(at)])]
    for (const chunks of splits) {
      const { messages } = read("response", chunks.filter((chunk) => chunk !== ""))
      expect(messages).toHaveLength(1)
      expect(messages[0]).toMatchObject({ status: 200, headers, body: "hi", ended: true })
    }
    const two = read("response", [`HTTP/1.1 103 Early Hints\r\n\r\n${text}${text}`]).messages
    expect(two.map(({ status }) => status)).toEqual([103, 200, 200])
    expect(read("request", [text.replace("HTTP/1.1 200 OK", "POST / HTTP/1.1")]).messages.at(-1)).toEqual(failure)
  })

  it("repairs a head in linear time", () => {
    const started = process.cpuUsage()
    const { messages } = read("response", [`HTTP/1.1 103 Hint\nA: one${" ".repeat(60_000)}two\n\n`.repeat(3)])
    expect(process.cpuUsage(started).user).toBeLessThan(1_000_000)
    expect(messages).toHaveLength(3)
  })

  it("repairs a head that arrives in short parts in linear time", () => {
    const head = `HTTP/1.1 200 OK\nA: ${"b".padStart(60_000)}\nContent-Length: 0\n\n`
    const started = process.cpuUsage()
    const { messages } = read("response", [...head])
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000)
    expect(messages).toMatchObject([{ headers: ["A", "b", "Content-Length", "0"] }])
  })

  it("ignores the coding identity in a response to HEAD, and in a response that ends with the connection", () => {
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n"
    expect(read("response", [head], true).messages).toMatchObject([{ status: 200, headers: [], body: "", ended: true }])
    expect(read("response", [`${head}hi`]).messages).toMatchObject([{ status: 200, headers: [], body: "hi" }])
  })

  it.each([
    [
      "a line before the first field",
      "HTTP/1.1 200 OK\r\n A: one\r\nContent-Length: 2\r\n\r\nhi",
      "Unexpected space after start line"
    ],
    ["a space in a name", "HTTP/1.1 200 OK\r\nA B : one\r\nContent-Length: 2\r\n\r\nhi", "Invalid header token"],
    ["a folded length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n 3\r\n\r\nhi", "Invalid character in Content-Length"],
    ["two lengths", "HTTP/1.1 200 OK\nContent-Length: 2\nContent-Length: 3\n\nhi", "Duplicate Content-Length"],
    [
      "a length and a coding",
      "HTTP/1.1 200 OK\nContent-Length : 2\nTransfer-Encoding : gzip, chunked\n\nhi",
      "Transfer-Encoding can't be present with Content-Length"
    ],
    [
      "a control character in a name",
      "HTTP/1.1 200 OK\r\nA\x01: one\r\nContent-Length: 2\r\n\r\nhi",
      "Invalid header token"
    ],
    [
      "a CR in a value",
      "HTTP/1.1 200 OK\r\nA: b\rc\r\nContent-Length: 2\r\n\r\nhi",
      "Missing expected LF after header value"
    ],
    ["a bare carriage return", "HTTP/1.1 200 OK\nA: b\rc\n\n", "Missing expected LF after header value"],
    [
      "a chunk that ends with a line feed",
      "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nhi\n0\n\n",
      "Missing expected CR after chunk size"
    ]
  ])("refuses %s in a response, and names the cause", (_, text, problem) => {
    expect(read("response", [text]).messages.at(-1)).toEqual(failure)
    const parser = new MessageParser("response")
    parser.feed(Buffer.from(text, "latin1"))
    while (parser.next() !== "error");
    expect(parser.invalid("it")).toBe(`it is not valid HTTP/1.1 (${problem})`)
    parser.close()
  })
})
