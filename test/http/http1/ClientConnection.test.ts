import { Readable } from "node:stream"
import { afterEach, describe, expect, it, vi } from "vitest"
import { UnsendableError } from "../../../src/http/OutgoingRequest.ts"
import { connect, openBody, turn } from "../../support/UpstreamPeer.ts"

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
const HOST = "Host: example\r\n"
const KEPT = `${HOST}Connection: keep-alive\r\n`
const bodyOf = (...chunks: ReadonlyArray<string>) => Readable.from(chunks.map((chunk) => Buffer.from(chunk, "latin1")))

afterEach(() => {
  vi.useRealTimers()
})

describe("a request on a ClientConnection", () => {
  it("is written immediately", () => {
    const { send, socket } = connect()
    send({ path: "/a?b=\xe9", headers: ["Host", "example", "X-A", "\xe9", "x-a", "2", "Empty", ""] })
    expect(socket.writes).toEqual([`GET /a?b=\xe9 HTTP/1.1\r\n${KEPT}X-A: \xe9\r\nx-a: 2\r\nEmpty: \r\n\r\n`])
  })

  it("is written immediately with a body that is already available", async () => {
    const { send, socket } = connect()
    send({ method: "POST", headers: ["Host", "example", "content-length", "4"], body: bodyOf("body") })
    await turn()
    expect(socket.writes).toEqual([`POST / HTTP/1.1\r\n${KEPT}Content-Length: 4\r\n\r\nbody`])
  })

  it("has no trailers if a length is declared", async () => {
    const { send, socket } = connect()
    send({
      method: "POST",
      headers: ["Host", "example", "Content-Length", "4"],
      body: bodyOf("body"),
      trailers: () => ["X-Sum", "1"]
    })
    await turn()
    expect(socket.written).toMatch(/\r\n\r\nbody$/)
  })

  it("has no empty chunk except the last, for any body", async () => {
    const { send, socket } = connect()
    send({ method: "POST", body: bodyOf("one", "", "two") })
    for (let i = 0; i < 4; i++) await turn()
    expect(socket.written.slice(socket.written.indexOf("\r\n\r\n"))).toBe(
      "\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"
    )
  })

  it("declares a length of 0 if its method expects content", () => {
    for (const [method, line] of [["POST", "Content-Length: 0\r\n"], ["GET", ""], ["DELETE", ""]] as const) {
      const { send, socket } = connect()
      send({ method })
      expect(socket.written).toBe(`${method} / HTTP/1.1\r\n${KEPT}${line}\r\n`)
    }
  })

  it("aborts the connection if its body is longer or shorter than declared", async () => {
    for (const chunks of [["bod"], ["body", "GET /evil HTTP/1.1\r\n\r\n"], ["bodyx"]]) {
      const { send, idle, socket } = connect()
      const headers = ["Host", "example", "Content-Length", "4"]
      const { response } = send({ method: "POST", headers, body: bodyOf(...chunks) })
      for (let i = 0; i < 4; i++) await turn()
      expect(socket.destroyed).toBe(true)
      expect(idle).toEqual([])
      expect(response.failure).toMatchObject({ retry: "nothing" })
      expect(socket.written).not.toContain("evil")
      expect(socket.written).not.toContain("bodyx")
    }
  })

  it("is aborted if its body fails", async () => {
    for (const error of [new Error("gone"), undefined]) {
      for (const early of [true, false]) {
        const end = (body: Readable) => body.destroy(error)
        const message = (early ? undefined : error?.message) ?? "the request was aborted"
        const { send, socket } = connect()
        const body = openBody()
        if (early) end(body)
        await turn()
        const { response } = send({ method: "POST", body })
        body.push("part")
        await turn()
        if (!early) end(body)
        await turn()
        expect(response.failure).toMatchObject({ retry: "nothing", error: { message } })
        expect(socket.destroyed).toBe(true)
        expect(socket.written).not.toContain("0\r\n\r\n")
      }
    }
  })

  it.each([
    ["a method with a space", { method: "GET /evil HTTP/1.1\r\nX:" }],
    ["no method", { method: "" }],
    ["no target", { path: "" }],
    ["a target with a space", { path: "/a b" }],
    ["a target with a line feed", { path: "/a\n" }],
    ["a target beyond latin1", { path: "/\u{2603}" }],
    ["a name with a colon", { headers: ["Host", "example", "a:b", "c"] }],
    ["an empty name", { headers: ["Host", "example", "", "c"] }],
    ["a value with a line break", { headers: ["Host", "example", "a", "b\r\nEvil: 1"] }],
    ["a value with a NUL", { headers: ["Host", "example", "a", "b\0"] }],
    ["a value beyond latin1", { headers: ["Host", "example", "a", "\u{2603}"] }],
    ["a host with a line break", { headers: ["Host", "example\r\nEvil: 1"] }],
    ["two hosts", { headers: ["Host", "example", "host", "other"] }],
    ["its own Transfer-Encoding field", { headers: ["Host", "example", "transfer-encoding", "chunked"] }],
    ["its own Expect field", { headers: ["Host", "example", "EXPECT", "100-continue"] }],
    ["its own Upgrade field", { headers: ["Host", "example", "Upgrade", "h2c"] }],
    ["its own Connection field", { headers: ["Host", "example", "Connection", "close"] }],
    ["two lengths", { headers: ["Host", "example", "Content-Length", "0", "content-length", "0"] }],
    ["an invalid length", { headers: ["Host", "example", "Content-Length", "0x0"] }],
    ["a length without a body", { headers: ["Host", "example", "Content-Length", "1"] }]
  ])("is not sent with %s, and the error does not quote it", async (_, more) => {
    const { send, socket } = connect()
    const { response } = send(more)
    await turn()
    expect(socket.writes).toEqual([])
    expect(response.failure?.error).toBeInstanceOf(UnsendableError)
    expect(response.failure).toMatchObject({
      retry: "nothing",
      error: { message: "the request cannot be sent as HTTP/1.1" }
    })
  })

  it("is not completed if its trailers are invalid", async () => {
    const { send, socket } = connect()
    const { response } = send({ method: "POST", body: bodyOf("body"), trailers: () => ["X-A", "1\r\n\r\nGET /evil"] })
    await turn()
    await turn()
    expect(response.failure?.error).toBeInstanceOf(UnsendableError)
    expect(socket.written).not.toContain("evil")
    expect(socket.destroyed).toBe(true)
  })
})

describe("a WebSocket handshake on a ClientConnection", () => {
  const SWITCH = "HTTP/1.1 101 Switching Protocols\r\n"

  it("requires a valid 101 response, and rejects one to a request without an upgrade", async () => {
    const cases = [
      ["websocket", `${SWITCH}\r\n`],
      ["websocket", `${SWITCH}Upgrade: websocket\r\n\r\n`],
      ["websocket", `${SWITCH}Connection: Upgrade\r\n\r\n`],
      [undefined, `${SWITCH}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n`],
      [undefined, `${SWITCH}\r\n`]
    ] as const
    for (const [upgrade, head] of cases) {
      const { send, socket } = connect()
      const { response } = send({ upgrade })
      await socket.receive(`${head}evil`)
      expect(response.outcome).toEqual([undefined, "", "failed"])
      expect(socket.destroyed).toBe(true)
    }
  })
})

describe("a response on a ClientConnection", () => {
  it("is held back while paused, and is complete even if the upstream has closed in the meantime", async () => {
    for (
      const framing of ["Content-Length: 6\r\n\r\none", "Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n", "\r\none"]
    ) {
      const chunked = framing.startsWith("Transfer")
      const { send, socket } = connect()
      const { sent, response } = send()
      response.onReceived = () => sent.pause()
      await socket.receive(`HTTP/1.1 200 OK\r\n${framing}${chunked ? "3\r\ntwo\r\n0\r\n\r\n" : ""}`)
      if (!chunked) await socket.receive("two")
      await socket.receive(null)
      await turn()
      expect(response.body).toBe("one")
      for (let i = 0; i < 4; i++) {
        sent.resume()
        await turn()
      }
      expect(response.outcome).toEqual([200, "onetwo", "finished"])
      expect(socket.destroyed).toBe(true)
    }
  })

  it("fails if its buffered rest turns out to be malformed after the upstream has closed", async () => {
    const { send, socket } = connect()
    const { sent, response } = send()
    response.onReceived = () => sent.pause()
    await socket.receive("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\nmalformed")
    await socket.receive(null)
    socket.read(0) // as a network socket does by itself
    await turn()
    expect(socket.destroyed).toBe(true)
    expect(response.outcome).toEqual([200, "one", "open"])
    sent.resume()
    await turn()
    expect(response.outcome).toEqual([200, "one", "failed"])
  })

  it("delimited by the connection's end is not complete after a reset", async () => {
    const { send, socket } = connect()
    const { response } = send()
    await socket.receive("HTTP/1.1 200 OK\r\n\r\npart")
    socket.destroy(Object.assign(new Error("reset"), { code: "ECONNRESET" }))
    await turn()
    expect(response.outcome).toEqual([200, "part", "failed"])
  })

  it("is not reported after an abort", async () => {
    const { send, socket } = connect()
    const { sent, response } = send()
    response.onReceived = () => sent.abort()
    await socket.receive("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")
    expect(response.outcome).toEqual([200, "one", "open"])
    expect(socket.destroyed).toBe(true)
  })

  it("that arrives before the request's body is complete ends the body and closes the connection", async () => {
    const { send, idle, socket } = connect()
    const body = openBody()
    const { response } = send({ method: "POST", body })
    body.push("part")
    await turn()
    await socket.receive(OK)
    expect(response.outcome).toEqual([200, "ok", "finished"])
    expect(body.destroyed).toBe(true)
    expect(socket.destroyed).toBe(true)
    expect(idle).toEqual([])
  })

  it.each([
    ["bytes that are not HTTP", "SSH-2.0-x\r\n\r\n"],
    ["a status below 100", "HTTP/1.1 042 Odd\r\n\r\n"],
    ["a folded length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n 3\r\n\r\nok"],
    ["bytes that are not HTTP, without an end", "SSH-2.0-x\r\n"],
    ["an empty coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\nContent-Length: 2\r\n\r\nok"],
    ["a head without end", `HTTP/1.1 200 OK\r\nA: ${"a".repeat(70_000)}`],
    ["no bytes", null]
  ])("of %s fails the request", async (_, text) => {
    const { send, socket } = connect()
    const { response } = send()
    await socket.receive(text)
    await turn()
    expect(response.failure).toMatchObject({ retry: "nothing" })
    expect(response.head).toBeUndefined()
    expect(socket.destroyed).toBe(true)
  })
})
