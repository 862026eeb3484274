import type { ServerHttp2Session } from "node:http2"
import type * as Net from "node:net"
import type { TLSSocket } from "node:tls"
import { afterEach, describe, expect, it, vi } from "vitest"
import type { OutgoingRequest } from "../../../src/http/OutgoingRequest.ts"
import type { UpstreamDialer } from "../../../src/outbound/UpstreamDialer.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import type { Origin } from "../../../src/proxy/routing/Origin.ts"
import { UpstreamPool } from "../../../src/proxy/upstream/UpstreamPool.ts"
import { openBody, RecordedResponse, request, turn } from "../../support/UpstreamPeer.ts"

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
const EVIL = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

const origin: Origin = {
  scheme: "http",
  authority: { host: "example", port: 80, kind: "name" },
  hostHeader: "example",
  routes: undefined
}

const secure: Origin = { ...origin, scheme: "https" }

class Awaited extends RecordedResponse {
  readonly #settled = Promise.withResolvers<void>()
  readonly settled = this.#settled.promise

  override finished(trailers: Array<string>): void {
    super.finished(trailers)
    this.#settled.resolve()
  }

  override failed(failure: Parameters<RecordedResponse["failed"]>[0]): void {
    super.failed(failure)
    this.#settled.resolve()
  }
}

const expectOk = async (...requests: ReadonlyArray<Awaited>): Promise<void> => {
  await Promise.all(requests.map(({ settled }) => settled))
  for (const { outcome } of requests) expect(outcome).toEqual([200, "ok", "finished"])
}

const closing: Array<() => void> = []
afterEach(() => {
  vi.useRealTimers()
  for (const close of closing.splice(0)) close()
})

/** An upstream with connections that the test controls, and a pool that connects to it. */
const open = async (serve: (socket: Net.Socket) => void, dialled = (socket: Net.Socket) => Promise.resolve(socket)) => {
  const connections: Array<Net.Socket> = []
  const server = builtins.net.createServer({ noDelay: true }, (socket) => {
    connections.push(socket)
    socket.on("error", () => {})
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as Net.AddressInfo
  const reached: Array<Net.Socket> = []
  const reach = () =>
    new Promise<Net.Socket>((resolve) => {
      const socket = builtins.net.connect({ port, host: "127.0.0.1" }, () => {
        reached.push(socket)
        resolve(dialled(socket))
      })
    })
  const pool = new UpstreamPool(
    {
      tcp: reach,
      tls: () => reach() as Promise<TLSSocket>
    } satisfies Partial<UpstreamDialer>
  )
  closing.push(() => {
    pool.close()
    server.close()
    for (const socket of connections) socket.destroy()
  })
  const send = (more: Partial<OutgoingRequest> = {}, connection: "any" | "new" = "any") => {
    const response = new Awaited()
    pool.send("http/1.1", origin, request(more), response, connection)
    return response
  }
  const connected = async () => {
    while (connections.length === 0 || reached.length === 0) await turn()
    await turn()
  }
  return { send, connected, connections, pool }
}

const respondOk = (socket: Net.Socket): void => void socket.on("data", () => socket.write(OK))

describe("UpstreamPool", () => {
  it("reads pending data of an idle connection before it sends a request on it", async () => {
    for (const unsolicited of [EVIL, "\r\n", undefined]) {
      const { send, connections } = await open(respondOk)
      const first = send()
      await first.settled
      if (unsolicited === undefined) connections[0]?.end()
      else connections[0]?.write(unsolicited)
      // The event loop runs immediates before it reads again, so the written data is still in the kernel.
      await turn()
      await expectOk(send({ method: "POST" }))
      expect(connections).toHaveLength(2)
    }
  })

  it("has at most 2048 connections, including those that are being opened", async () => {
    const dialed: Array<PromiseWithResolvers<Net.Socket>> = []
    const dial = () => {
      dialed.push(Promise.withResolvers())
      return dialed.at(-1)!.promise
    }
    const pool = new UpstreamPool({ tcp: dial, tls: () => dial() as Promise<TLSSocket> })
    closing.push(() => pool.close())
    const send = (): Awaited => {
      const response = new Awaited()
      pool.send("http/1.1", origin, request(), response, "new")
      return response
    }
    const all = Array.from({ length: 2049 }, send)
    await turn()
    expect(all[2048]?.failure?.error.message).toContain("the limit of 2048 connections is reached")
    dialed[0]?.reject(new Error("refused"))
    const socket = new builtins.net.Socket()
    dialed[1]?.resolve(socket)
    await turn()
    socket.destroy()
    await turn()
    const later = Array.from({ length: 3 }, send)
    await turn()
    expect(later.map(({ failure }) => failure === undefined)).toEqual([true, true, false])
  })

  it("opens a connection for requests that must not use a stale one", async () => {
    const { send, connections } = await open(respondOk)
    await send().settled
    await send({}, "new").settled
    expect(connections).toHaveLength(2)
    const expecting = send({
      method: "PUT",
      headers: ["Host", "example", "Content-Length", "4"],
      body: openBody(),
      expectsContinue: true
    })
    await expecting.settled
    expect(connections).toHaveLength(3)
    await send({ upgrade: "websocket" }).settled
    expect(connections).toHaveLength(4)
  })

  it("fails a first request if the upstream sends data before it", async () => {
    const { send, connections } = await open(
      (socket) => void socket.write(EVIL),
      (socket) => new Promise((resolve) => socket.once("readable", () => resolve(socket)))
    )
    const response = send()
    await response.settled
    expect(response.outcome).toEqual([undefined, "", "failed"])
    expect(connections).toHaveLength(1)
  })

  it("does not send an aborted request and keeps the connection for others", async () => {
    const seen: Array<string> = []
    const { send, connections, pool } = await open((socket) => {
      socket.on("data", (chunk: Buffer) => {
        seen.push(chunk.toString().split(" ")[1] ?? "")
        socket.write(OK)
      })
    })
    await send({ path: "/1" }).settled
    const response = new Awaited()
    pool.send("http/1.1", origin, request({ path: "/2" }), response, "any").abort()
    await send({ path: "/3" }).settled
    expect(seen).toEqual(["/1", "/3"])
    expect(response.outcome[2]).toBe("open")
    expect(connections).toHaveLength(1)
  })

  describe("prepare", () => {
    it("gives the pending connection to an early request, and opens another for the next one", async () => {
      const { send, connections, pool } = await open(respondOk)
      pool.prepare("http/1.1", origin)
      await expectOk(send(), send())
      expect(connections).toHaveLength(2)
    })

    it("discards a connection on which the upstream has sent data or closed", async () => {
      for (const unsolicited of [EVIL, undefined]) {
        const { send, connected, connections, pool } = await open(respondOk)
        pool.prepare("http/1.1", origin)
        await connected()
        if (unsolicited === undefined) connections[0]?.end()
        else connections[0]?.write(unsolicited)
        await expectOk(send())
        expect(connections).toHaveLength(2)
      }
    })

    it("closes the connection if no request follows", async () => {
      const closed = Promise.withResolvers<void>()
      const { pool } = await open((socket) => void socket.resume().once("end", closed.resolve))
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      pool.prepare("http/1.1", origin)
      while (vi.getTimerCount() === 0) await turn()
      vi.advanceTimersByTime(3000)
      await closed.promise
    })

    it("closes an HTTP/2 session if no request follows, and keeps it otherwise", async () => {
      const sessions: Array<ServerHttp2Session> = []
      const server = builtins.http2.createServer((_, response) => response.end("ok"))
      server.on("session", (session) => session.once("remoteSettings", () => sessions.push(session)))
      const { pool } = await open(
        (socket) => void server.emit("connection", socket),
        (socket) => Promise.resolve(Object.assign(socket, { alpnProtocol: "h2" }))
      )
      const send = async () => {
        const response = new Awaited()
        pool.send("h2", secure, request(), response, "any")
        await expectOk(response)
      }
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      pool.prepare("h2", secure)
      while (sessions.length === 0) await turn()
      vi.advanceTimersByTime(3000)
      while (sessions[0]?.closed === false) await turn()
      pool.prepare("h2", secure)
      while (sessions.length === 1) await turn()
      await send()
      vi.advanceTimersByTime(3000)
      await send()
      expect(sessions.map(({ closed }) => closed)).toEqual([true, false])
    })

    it("leaves connection errors to the request", async () => {
      const attempts: Array<Net.Socket> = []
      const { send, pool } = await open(respondOk, (socket) => {
        if (attempts.push(socket) > 2) return Promise.resolve(socket)
        socket.destroy()
        return Promise.reject(new Error("refused"))
      })
      pool.prepare("http/1.1", origin)
      const early = send()
      await early.settled
      expect(early.failure?.error.message).toBe("refused")
      pool.prepare("http/1.1", origin)
      while (attempts.length < 2) await turn()
      await turn()
      await expectOk(send())
    })
  })
})
