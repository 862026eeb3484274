/** The HTTP/1.1 server over sockets, with handlers of the test. */
import * as Net from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { Http1Server } from "../../../src/http/http1/Http1Server.ts"
import type { ServerRequest } from "../../../src/http/http1/ServerRequest.ts"
import { rejectBytes } from "../../../src/proxy/ProxyEvent.ts"
import { Wire } from "../../support/ProxyHarness.ts"

const closers: Array<() => void> = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A server with the handler `requested`, and a connection to it. */
const connect = async (
  requested: (message: ServerRequest, http: Http1Server) => void,
  headMilliseconds = 10_000
): Promise<Wire> => {
  const http = new Http1Server({ headMilliseconds, rejection: rejectBytes("", undefined) })
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

describe("Http1Server", () => {
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

  it("writes a single response immediately, and several at the end of the event-loop turn", async () => {
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
    ["the next response is written immediately", (second) => second.response.send(200, "OK", [], "two")],
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
  ])("writes a complete response in order if, in the same event-loop turn, %s", async (_, go) => {
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
})
