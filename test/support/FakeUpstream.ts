/** HTTP/1.1 servers that replace the APIs of providers. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Http from "node:http"
import type * as Net from "node:net"
import type * as Tls from "node:tls"
import { builtins } from "../../src/platform/builtins.ts"
import type { TestCertificate } from "./TestCertificates.ts"
import { listen, type TestServer } from "./TestServer.ts"

export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly rawHeaders: ReadonlyArray<string>
  readonly headers: Http.IncomingHttpHeaders
}

export type Handler = (request: Http.IncomingMessage, response: Http.ServerResponse) => void

const describeRequest: Handler = (request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const { headers, method, url } = request
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString("latin1") }))
  })
}

/** Starts an upstream. Without a handler, it responds with 200 and a JSON description of the request. */
export const make = (
  options: {
    readonly certificate?: TestCertificate | undefined
    readonly handler?: Handler | undefined
    readonly tls?: Tls.TlsOptions | undefined
  } = {}
) =>
  Effect.gen(function*() {
    const { certificate, handler = describeRequest, tls } = options
    const seen: Array<SeenRequest> = []
    const record: Http.RequestListener = (request, response) => {
      const { headers, method = "", rawHeaders, url = "" } = request
      seen.push({ method, url, rawHeaders, headers })
      handler(request, response)
    }
    const server = certificate === undefined
      ? builtins.http.createServer(record)
      : builtins.https.createServer({ ...certificate, ...tls }, record)
    return { ...yield* listen(server), seen, server }
  })

export type FakeUpstream = Effect.Success<ReturnType<typeof make>>

/** Calls `serve` with the head of each request and its number on the connection. The test writes the response. */
export const makeRaw = (
  certificate: TestCertificate,
  serve: (socket: Net.Socket, head: string, count: number) => void
): Effect.Effect<TestServer, never, Scope.Scope> =>
  listen(builtins.tls.createServer(certificate, (socket) => {
    let received = ""
    let count = 0
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString("latin1")
      for (let end = received.indexOf("\r\n\r\n"); end !== -1; end = received.indexOf("\r\n\r\n")) {
        const head = received.slice(0, end + 4)
        received = received.slice(end + 4)
        serve(socket, head, ++count)
      }
    })
  }))
