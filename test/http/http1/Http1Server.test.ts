/** The HTTP/1.1 server over sockets, with handlers of the test. */
import * as Net from "node:net"
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { afterEach, describe, expect, it } from "vitest"
import { Http1Server } from "../../../src/http/http1/Http1Server.ts"
import type { ServerRequest } from "../../../src/http/http1/ServerRequest.ts"
import { rejection } from "../../../src/proxy/ProxyEvent.ts"
import { Wire } from "../../support/ProxyHarness.ts"
import { until } from "../../support/Until.ts"
import { turn } from "../../support/UpstreamPeer.ts"

const closers: Array<() => void> = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

const noticed: Array<string> = []
const handler = (what: string) => ({
  drained: () => noticed.push(`${what} drained`),
  closed: () => noticed.push(`${what} closed`),
  malformed: () => noticed.push(`${what} malformed`)
})

/** A server with the handler `requested`, and a connection to it. */
const connect = async (
  requested: (message: ServerRequest, http: Http1Server) => void,
  headMilliseconds = 10_000
): Promise<Wire> => {
  noticed.length = 0
  const http = new Http1Server({ headMilliseconds, rejection: rejection("", undefined) })
  const server = Net.createServer(
    { allowHalfOpen: true },
    (socket) => http.serve(socket, (message) => requested(message, http))
  )
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const socket = Net.connect((server.address() as Net.AddressInfo).port, "127.0.0.1")
  closers.push(() => {
    socket.destroy()
    http.close()
    server.close()
  })
  return new Wire(socket)
}

/** Ends a response as one of several in an event-loop turn. */
const respondSoon = (message: ServerRequest, body: string): void => {
  message.response.writeHead(200, "OK", ["Content-Length", String(body.length)])
  message.response.write(Buffer.from(body))
  message.response.end([], true)
}

const read = (message: ServerRequest): Promise<string> => text(message.openBody())

describe("Http1Server", () => {
  it("passes on a request after the response to the previous one, and not earlier", async () => {
    const seen: Array<ServerRequest> = []
    const wire = await connect((message) => seen.push(message))
    wire.send("GET /1 HTTP/1.1\r\n\r\nPOST /2 HTTP/1.1\r\nContent-Length: 2\r\n\r\nhiGET /3 HTTP/1.1\r\n\r\n")
    await until(() => seen.length === 1)
    await turn()
    expect(seen.map(({ target }) => target)).toEqual(["/1"])
    seen[0]!.response.send(200, "OK", [], "one")
    expect((await wire.response()).body).toBe("one")
    await until(() => seen.length === 2)
    // Its body is dropped and not parsed as a request.
    seen[1]!.response.send(200, "OK", [], "two")
    expect((await wire.response()).body).toBe("two")
    await until(() => seen.length === 3)
    seen[2]!.response.send(200, "OK", [], "three")
    expect((await wire.response()).body).toBe("three")
  })

  it.each([
    ["without a reader", () => undefined],
    ["with an idle reader", (message: ServerRequest) => message.openBody()]
  ])("buffers little of a body %s, and reads it completely later", async (_, open) => {
    let message: ServerRequest | undefined
    let body: Readable | undefined
    const wire = await connect((each) => {
      message = each
      body = open(each)
    })
    const size = 8 * 1024 * 1024
    wire.send(`PUT / HTTP/1.1\r\nContent-Length: ${size}\r\n\r\n`)
    wire.send("x".repeat(size))
    await until(() => message?.socket.isPaused() === true)
    expect(message!.socket.bytesRead).toBeLessThan(2 * 1024 * 1024)
    expect((await text(body ?? message!.openBody())).length).toBe(size)
    message!.response.send(200, "OK", [], "")
    expect((await wire.response()).status).toBe(200)
  })

  it("applies backpressure to a response for a client that does not read", async () => {
    let message: ServerRequest | undefined
    const wire = await connect((each) => {
      message = each
      message.handler = handler("the response")
    })
    wire.socket.pause()
    wire.send("GET / HTTP/1.1\r\n\r\n")
    await until(() => message !== undefined)
    const part = Buffer.alloc(1024 * 1024, "x")
    message!.response.writeHead(200, "OK", ["Content-Length", String(32 * part.length)])
    let parts = 0
    while (message!.response.write(part)) parts++
    expect(parts).toBeLessThan(32)
    wire.socket.resume()
    await until(() => noticed.includes("the response drained"), () => noticed)
    expect(noticed).toEqual(["the response drained"])
  })

  it.each([
    ["longer", (message: ServerRequest) => message.response.write(Buffer.from("too long"))],
    ["shorter", (message: ServerRequest) => message.response.end()]
  ])("resets the connection if a response is %s than declared", async (_, go) => {
    const wire = await connect((message) => {
      message.response.writeHead(200, "OK", ["Content-Length", "3"])
      go(message)
      message.response.end()
    })
    wire.send("GET / HTTP/1.1\r\n\r\n")
    await wire.closed()
    expect(wire.failed).toBe(true)
  })

  it.each([
    ["HTTP/1.1", "GET / HTTP/1.1\r\n\r\n", /Transfer-Encoding: chunked\r\n.*\r\n\r\n2\r\nhi\r\n0\r\nX: y\r\n\r\n$/s],
    ["HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", /Connection: close\r\n\r\nhi$/],
    ["HEAD", "HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n", /^HTTP\/1\.1 200 OK\r\nConnection: close\r\n\r\n$/]
  ])("delimits a response without a length for %s", async (_, request, expected) => {
    const wire = await connect((message) => {
      message.response.writeHead(200, "OK", [])
      message.response.write(Buffer.from("hi"))
      message.response.end(["X", "y"])
    })
    wire.send(request)
    wire.socket.end()
    expect(await wire.text("\0")).toMatch(expected)
  })

  it("closes the connection after a response without a length, even if an HTTP/1.0 client wants to keep it (RFC 9112 section 6.3)", async () => {
    const wire = await connect((message) => {
      message.response.writeHead(200, "OK", [])
      message.response.write(Buffer.from("hi"))
      message.response.end()
    })
    wire.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    const { body, complete, headers } = await wire.response()
    expect([headers.get("connection"), body, complete]).toEqual(["close", "hi", true])
  })

  it.each([
    ["a line break in a value", ["A", "b\r\nC: d"]],
    ["an invalid name", ["A b", "c"]],
    ["an invalid length", ["Content-Length", "1, 1"]]
  ])("does not write %s", async (_, headers) => {
    const errors: Array<string> = []
    const wire = await connect((message) => {
      try {
        message.response.writeHead(200, "OK", headers)
      } catch (error) {
        errors.push((error as Error).message)
      }
      message.response.send(502, "Bad Gateway", [], "no")
    })
    wire.send("GET / HTTP/1.1\r\n\r\n")
    expect((await wire.response()).status).toBe(502)
    expect(errors).toHaveLength(1)
  })

  it("rejects bytes that are not HTTP after the pending responses, and closes the connection", async () => {
    const wire = await connect((message) => message.response.send(200, "OK", [], "fine"))
    wire.send("GET / HTTP/1.1\r\n\r\nnonsense\r\n\r\n")
    expect((await wire.response()).status).toBe(200)
    expect((await wire.response()).status).toBe(400)
    await wire.closed()
    expect(wire.failed).toBe(false)
  })

  it("writes a single response at once, and several at the end of the event-loop turn", async () => {
    const written: Array<number> = []
    const wire = await connect((message) => {
      if (message.target === "/alone") message.response.send(200, "OK", [], "alone")
      else respondSoon(message, "soon")
      written.push(message.socket.bytesWritten)
    })
    wire.send("GET /soon HTTP/1.1\r\n\r\n")
    expect((await wire.response()).body).toBe("soon")
    wire.send("GET /alone HTTP/1.1\r\n\r\n")
    expect((await wire.response()).body).toBe("alone")
    expect(written[0]).toBe(0)
    expect(written[1]).toBeGreaterThan(100)
  })

  it.each<[string, (second: ServerRequest, http: Http1Server) => void]>([
    ["the client ends its side", (second) => {
      respondSoon(second, "two")
      second.socket.emit("end")
    }],
    ["the next response is written at once", (second) => second.response.send(200, "OK", [], "two")],
    ["the next response is aborted", (second) => second.response.abort()],
    ["the next request is told to wait", (second) => second.response.writeInformational(102, "Processing", [])],
    ["the next connection is taken over", (second) => {
      second.detach().socket.write("and more")
    }],
    ["idle connections are closed", (second, http) => {
      respondSoon(second, "two")
      http.closeIdle()
    }],
    ["the server closes", (second, http) => {
      respondSoon(second, "two")
      http.close()
    }]
  ])("writes a complete response in order if in the same turn %s", async (_, go) => {
    const wire = await connect((message, http) => {
      if (message.target === "/2") go(message, http)
      else respondSoon(message, "one")
    })
    wire.send("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n")
    const { body, status } = await wire.response()
    expect([status, body]).toEqual([200, "one"])
  })

  it.each([
    ["it is the last one", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"],
    ["what follows is not HTTP", "GET / HTTP/1.1\r\n\r\nnonsense\r\n\r\n"]
  ])("writes a response before it closes the connection because %s", async (_, request) => {
    const wire = await connect((message) => respondSoon(message, "one"))
    wire.send(request)
    const { body, status } = await wire.response()
    expect([status, body]).toEqual([200, "one"])
    await wire.closed()
    expect(wire.failed).toBe(false)
  })

  it("reports a malformed body to the handler of the request", async () => {
    const wire = await connect((message) => {
      message.handler = {
        ...handler("the request"),
        malformed: ({ status }) => message.response.send(status, "Bad", [], "")
      }
      void read(message).catch(() => noticed.push("the body failed"))
    })
    wire.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n")
    expect((await wire.response()).status).toBe(400)
    await wire.closed()
    await until(() => noticed.includes("the body failed"), () => noticed)
    expect(noticed).toContain("the request closed")
  })

  it("reports a disconnected client to the handler", async () => {
    const wire = await connect((message) => {
      message.handler = handler("the request")
      wire.socket.end()
    })
    wire.send("GET / HTTP/1.1\r\n\r\n")
    await until(() => noticed.length > 0)
    expect(noticed).toEqual(["the request closed"])
  })

  it("hands over a connection with the bytes after the request", async () => {
    let message: ServerRequest | undefined
    const wire = await connect((each) => {
      message = each
    })
    const request = "CONNECT a:1 HTTP/1.1\r\n\r\nearly"
    wire.send(request)
    await until(() => message !== undefined)
    wire.send("bird")
    await until(() => message!.socket.bytesRead === request.length + "bird".length)
    const { head, socket } = message!.detach()
    socket.on("data", (chunk: Buffer) => socket.write(`more ${chunk.toString()}`))
    socket.write(`had ${head.toString()}, `)
    await wire.text("had earlybird, ")
    wire.send("!")
    expect(await wire.text("more !")).toContain("more !")
  })

  it.each([["nothing", ""], ["half a head", "GET / HTTP/1.1\r\nA:"]])(
    "closes a connection on which %s arrives in time",
    async (_, sent) => {
      const wire = await connect(() => {}, 50)
      wire.send(sent)
      await wire.closed()
    }
  )
})
