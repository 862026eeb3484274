/** Reuse of upstream connections. */
import { afterEach, describe, expect, it, vi } from "vitest"
import { idleMilliseconds } from "../../../src/http/http1/KeepAlive.ts"
import { connect, openBody } from "../../support/UpstreamPeer.ts"

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

afterEach(() => {
  vi.useRealTimers()
})

describe("a ClientConnection", () => {
  const after: ReadonlyArray<readonly [what: string, text: string, method: string]> = [
    ["a response with data after it", `${OK}evil`, "GET"],
    ["two responses", OK + OK, "GET"],
    [
      "a response with Connection: close",
      "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
      "GET"
    ],
    ["an HTTP/1.0 response", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "GET"],
    [
      "a response with a keep-alive timeout of a second",
      "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\nok",
      "GET"
    ],
    ["a 204 response that declares a body", "HTTP/1.1 204 No\r\nContent-Length: 2\r\n\r\n", "GET"],
    ["a 304 response that declares a body", "HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\n", "GET"],
    ["a response to HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "HEAD"]
  ]
  it.each(after)("is not reused after %s, although that is valid", async (_, text, method) => {
    const { send, idle, socket } = connect()
    const { response } = send({ method })
    await socket.receive(text)
    expect(response.outcome[2]).toBe("finished")
    expect(response.body).not.toContain("evil")
    expect(idle).toEqual([])
    expect(socket.destroyed).toBe(true)
  })

  it("is closed after fifteen idle seconds, or a second before the upstream's own limit", async () => {
    for (
      const [hint, milliseconds] of [["", 15_000], ["Keep-Alive: timeout=5, max=100\r\n", 4000]] as const
    ) {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      const { send, idle, socket } = connect()
      for (let i = 0; i < 2; i++) {
        send()
        // A connection is not idle during a request, however long that takes.
        vi.advanceTimersByTime(100_000)
        await socket.receive(`HTTP/1.1 200 OK\r\n${hint}Content-Length: 2\r\n\r\nok`)
        vi.advanceTimersByTime(milliseconds - 1)
        expect(idle).toHaveLength(1)
      }
      vi.advanceTimersByTime(1)
      expect(idle).toEqual([])
      expect(socket.destroyed).toBe(true)
    }
  })

  it("is not affected if a completed request is paused, resumed or aborted", async () => {
    const { send, socket } = connect()
    const { sent } = send()
    await socket.receive(OK)
    const { response } = send()
    sent.pause()
    sent.resume()
    sent.abort()
    await socket.receive(OK)
    expect(response.outcome).toEqual([200, "ok", "finished"])
  })

  it("is not reused during an upload, even after a complete response", async () => {
    const { send, idle, socket } = connect()
    send({ method: "POST", headers: ["Host", "example", "Content-Length", "4"], body: openBody() })
    await socket.receive(OK)
    expect(idle).toEqual([])
  })
})

describe("the idle time of a connection", () => {
  it.each([
    [200, [], 15_000],
    [200, ["keep-alive", "timeout=5"], 4000],
    [200, ["Keep-Alive", "max=5, timeout = 20"], 19_000],
    [200, ["Keep-Alive", "timeout=\"3\""], 2000],
    [200, ["Keep-Alive", "timeout=100000"], 60_000],
    [200, ["Keep-Alive", "timeout=99999999999999999999999"], 60_000],
    [200, ["Keep-Alive", "timeout=1"], 0],
    [200, ["Keep-Alive", "timeout=0"], 0],
    [200, ["Keep-Alive", "max=1"], 15_000],
    [200, ["Keep-Alive", "mytimeout=1"], 15_000],
    [200, ["Connection2", "timeout=1"], 15_000],
    [204, ["Content-Length", "0"], 15_000],
    [304, ["content-length", "5"], 0],
    [204, ["TRANSFER-ENCODING", "chunked"], 0],
    [200, ["Content-Length", "5"], 15_000]
  ])("after %d with %j is %d ms", (status, headers, milliseconds) => {
    expect(idleMilliseconds(status, headers)).toBe(milliseconds)
  })
})
