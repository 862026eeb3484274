/** HTTPS servers that replace the APIs of providers and record requests. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import { builtins } from "../../src/platform/builtins.ts"
import type { TestCertificate } from "./TestCertificates.ts"

export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly rawHeaders: ReadonlyArray<string>
  readonly headers: Http.IncomingHttpHeaders
}

export interface FakeUpstream {
  readonly port: number
  readonly seen: Array<SeenRequest>
  /** TCP connections that arrived, whether or not TLS or HTTP followed. */
  readonly connections: () => number
  readonly server: Http.Server
  /** Closes the server abruptly, as in a crash. */
  readonly kill: () => void
}

export type Handler = (request: Http.IncomingMessage, response: Http.ServerResponse) => void

const listen = (server: Net.Server): Effect.Effect<number> =>
  Effect.callback<number>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as Net.AddressInfo).port)))
  })

const collect = (server: Net.Server) => {
  const sockets = new Set<Net.Socket>()
  let count = 0
  server.on("connection", (socket: Net.Socket) => {
    count++
    sockets.add(socket)
    socket.on("error", () => {})
    socket.once("close", () => sockets.delete(socket))
  })
  return {
    count: () => count,
    kill: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
  }
}

const released = <A extends { readonly kill: () => void }>(
  acquire: Effect.Effect<A>
): Effect.Effect<A, never, Scope.Scope> => Effect.acquireRelease(acquire, ({ kill }) => Effect.sync(kill))

/** Without a handler it responds with 200 and a JSON description of the request. */
export const make = (
  options: {
    readonly certificate?: TestCertificate | undefined
    readonly handler?: Handler | undefined
    readonly tls?: Tls.TlsOptions | undefined
  } = {}
): Effect.Effect<FakeUpstream, never, Scope.Scope> =>
  released(Effect.gen(function*() {
    const seen: Array<SeenRequest> = []
    const handler: Http.RequestListener = (request, response) => {
      seen.push({
        method: request.method ?? "",
        url: request.url ?? "",
        rawHeaders: request.rawHeaders,
        headers: request.headers
      })
      if (options.handler !== undefined) {
        options.handler(request, response)
        return
      }
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify({
          method: request.method,
          url: request.url,
          headers: request.headers,
          body: Buffer.concat(chunks).toString("latin1")
        }))
      })
    }
    const server = options.certificate === undefined
      ? builtins.http.createServer(handler)
      : builtins.https.createServer({ ...options.certificate, ...options.tls }, handler)
    const sockets = collect(server)
    const port = yield* listen(server)
    return { port, seen, connections: sockets.count, server, kill: sockets.kill }
  }))

export interface RawRecorder {
  readonly port: number
  /** Everything that arrived, per connection, decrypted. */
  readonly received: Array<string>
  readonly kill: () => void
}

/** Records decrypted bytes and responds to each request head with `answer`. */
export const makeRecorder = (
  certificate: TestCertificate,
  answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
): Effect.Effect<RawRecorder, never, Scope.Scope> =>
  released(Effect.gen(function*() {
    const received: Array<string> = []
    const server = builtins.tls.createServer(certificate, (socket) => {
      const at = received.push("") - 1
      socket.on("error", () => {})
      let answered = 0
      socket.on("data", (chunk: Buffer) => {
        received[at] += chunk.toString("latin1")
        const heads = (received[at]?.match(/\r\n\r\n/g) ?? []).length
        for (; answered < heads; answered++) socket.write(answer, "latin1")
      })
    })
    server.on("tlsClientError", () => {})
    const sockets = collect(server)
    const port = yield* listen(server)
    return { port, received, kill: sockets.kill }
  }))
