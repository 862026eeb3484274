import type { ServerHttp2Session } from "node:http2"
import type * as Net from "node:net"
import type { TLSSocket } from "node:tls"
import { afterEach, describe, expect, it, vi } from "vitest"
import type { OutgoingRequest } from "../../../src/http/OutgoingRequest.ts"
import type { UpstreamDialer } from "../../../src/outbound/UpstreamDialer.ts"
import { builtins } from "../../../src/platform/builtins.ts"
import type { Origin } from "../../../src/proxy/HttpEngine.ts"
import { UpstreamPool } from "../../../src/proxy/upstream/UpstreamPool.ts"
import { openBody, request, Told, turn } from "../../support/UpstreamPeer.ts"

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
const EVIL = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

const origin: Origin = {
  scheme: "http",
  authority: { host: "example", port: 80, kind: "name" },
  hostHeader: "example",
  routes: undefined
}

const secure: Origin = { ...origin, scheme: "https" }

class Awaited extends Told {
  #settle: () => void = () => {}
  readonly settled = new Promise<void>((resolve) => {
    this.#settle = resolve
  })

  override finished(trailers: Array<string>): void {
    super.finished(trailers)
    this.#settle()
  }

  override failed(failure: Parameters<Told["failed"]>[0]): void {
    super.failed(failure)
    this.#settle()
  }
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
      tls: () => reach() as Promise<TLSSocket>,
      isPublic: () => true,
      close: () => {}
    } satisfies UpstreamDialer
  )
  closing.push(() => {
    pool.close()
    server.close()
    for (const socket of connections) socket.destroy()
  })
  const ask = (more: Partial<OutgoingRequest> = {}, fresh = false) => {
    const told = new Awaited()
    pool.send("http/1.1", origin, request(more), told, fresh)
    return told
  }
  const connected = async () => {
    while (connections.length === 0 || reached.length === 0) await turn()
    await turn()
  }
  return { ask, connected, connections, pool }
}

const answering = (socket: Net.Socket): void => void socket.on("data", () => socket.write(OK))

describe("UpstreamPool", () => {
  it("reads pending data of an idle connection before it sends a request on it", async () => {
    for (const unasked of [EVIL, "\r\n", undefined]) {
      const { ask, connections } = await open(answering)
      const first = ask()
      await first.settled
      if (unasked === undefined) connections[0]?.end()
      else connections[0]?.write(unasked)
      // The event loop runs immediates before it reads again, so the written data is still in the kernel.
      await turn()
      const second = ask({ method: "POST" })
      await second.settled
      expect(second.outcome).toEqual([200, "ok", "finished"])
      expect(connections).toHaveLength(2)
    }
  })

  it("reuses connections, as many as there are concurrent requests", async () => {
    const { ask, connections } = await open(answering)
    for (const count of [1, 3, 2, 3]) {
      const all = Array.from({ length: count }, () => ask())
      await Promise.all(all.map(({ settled }) => settled))
      for (const { outcome } of all) expect(outcome).toEqual([200, "ok", "finished"])
    }
    expect(connections).toHaveLength(3)
  })

  it("opens a connection for requests that must not use a stale one", async () => {
    const { ask, connections } = await open(answering)
    await ask().settled
    await ask({}, true).settled
    expect(connections).toHaveLength(2)
    const expecting = ask({
      method: "PUT",
      headers: ["Host", "example", "Content-Length", "4"],
      body: openBody(),
      expectsContinue: true
    })
    await expecting.settled
    expect(connections).toHaveLength(3)
    await ask({ upgrade: true }).settled
    expect(connections).toHaveLength(4)
  })

  it("fails a first request if the upstream sends data before it", async () => {
    const { ask, connections } = await open(
      (socket) => void socket.write(EVIL),
      (socket) => new Promise((resolve) => socket.once("readable", () => resolve(socket)))
    )
    const told = ask()
    await told.settled
    expect(told.outcome).toEqual([undefined, "", "failed"])
    expect(connections).toHaveLength(1)
  })

  it("does not send an aborted request and keeps the connection for others", async () => {
    const seen: Array<string> = []
    const { ask, connections, pool } = await open((socket) => {
      socket.on("data", (chunk: Buffer) => {
        seen.push(chunk.toString().split(" ")[1] ?? "")
        socket.write(OK)
      })
    })
    await ask({ path: "/1" }).settled
    const told = new Awaited()
    pool.send("http/1.1", origin, request({ path: "/2" }), told, false).abort()
    await ask({ path: "/3" }).settled
    expect(seen).toEqual(["/1", "/3"])
    expect(told.outcome[2]).toBe("open")
    expect(connections).toHaveLength(1)
  })

  describe("prepare", () => {
    it("opens one connection for the next request", async () => {
      const { ask, connected, connections, pool } = await open(answering)
      pool.prepare("http/1.1", origin)
      pool.prepare("http/1.1", origin)
      await connected()
      pool.prepare("http/1.1", origin)
      const told = ask()
      await told.settled
      expect(told.outcome).toEqual([200, "ok", "finished"])
      pool.prepare("http/1.1", origin)
      await ask().settled
      expect(connections).toHaveLength(1)
    })

    it("gives the pending connection to an early request, and opens another for the next one", async () => {
      const { ask, connections, pool } = await open(answering)
      pool.prepare("http/1.1", origin)
      const both = [ask(), ask()]
      await Promise.all(both.map(({ settled }) => settled))
      for (const { outcome } of both) expect(outcome).toEqual([200, "ok", "finished"])
      expect(connections).toHaveLength(2)
    })

    it("discards a connection on which the upstream has sent data or closed", async () => {
      for (const unasked of [EVIL, undefined]) {
        const { ask, connected, connections, pool } = await open(answering)
        pool.prepare("http/1.1", origin)
        await connected()
        if (unasked === undefined) connections[0]?.end()
        else connections[0]?.write(unasked)
        const told = ask()
        await told.settled
        expect(told.outcome).toEqual([200, "ok", "finished"])
        expect(connections).toHaveLength(2)
      }
    })

    it("closes the connection if no request follows", async () => {
      let gone = (): void => {}
      const closed = new Promise<void>((resolve) => {
        gone = resolve
      })
      const { pool } = await open((socket) => void socket.resume().once("end", gone))
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      pool.prepare("http/1.1", origin)
      while (vi.getTimerCount() === 0) await turn()
      vi.advanceTimersByTime(3000)
      await closed
    })

    it("closes an HTTP/2 session if no request follows, and keeps it otherwise", async () => {
      const sessions: Array<ServerHttp2Session> = []
      const api = builtins.http2.createServer((_, response) => response.end("ok"))
      api.on("session", (session) => session.once("remoteSettings", () => sessions.push(session)))
      const { pool } = await open(
        (socket) => void api.emit("connection", socket),
        (socket) => Promise.resolve(Object.assign(socket, { alpnProtocol: "h2" }))
      )
      const ask = async () => {
        const told = new Awaited()
        pool.send("h2", secure, request(), told, false)
        await told.settled
        expect(told.outcome).toEqual([200, "ok", "finished"])
      }
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      pool.prepare("h2", secure)
      while (sessions.length === 0) await turn()
      vi.advanceTimersByTime(3000)
      while (sessions[0]?.closed === false) await turn()
      pool.prepare("h2", secure)
      while (sessions.length === 1) await turn()
      await ask()
      vi.advanceTimersByTime(3000)
      await ask()
      expect(sessions.map(({ closed }) => closed)).toEqual([true, false])
    })

    it("leaves connection errors to the request", async () => {
      const attempts: Array<Net.Socket> = []
      const { ask, pool } = await open(answering, (socket) => {
        if (attempts.push(socket) > 2) return Promise.resolve(socket)
        socket.destroy()
        return Promise.reject(new Error("refused"))
      })
      pool.prepare("http/1.1", origin)
      const early = ask()
      await early.settled
      expect(early.failure?.error.message).toBe("refused")
      pool.prepare("http/1.1", origin)
      while (attempts.length < 2) await turn()
      await turn()
      const late = ask()
      await late.settled
      expect(late.outcome).toEqual([200, "ok", "finished"])
    })
  })
})
